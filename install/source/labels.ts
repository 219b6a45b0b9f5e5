/** On everything. Never `managed-by: kyverno`: that marks what policies made. */
export const commonLabels = {'app.kubernetes.io/name': 'kyverno', 'app.kubernetes.io/part-of': 'kyverno'} as const;

/** What Services, budgets and the Deployment itself find the Pods by. */
export const podSelector = {
  app: 'kyverno',
  'app.kubernetes.io/name': 'kyverno',
  'app.kubernetes.io/component': 'operator',
} as const;

/** `app` is what users pass to `kubectl logs -l`. */
export const workloadLabels = {...commonLabels, app: 'kyverno'} as const;

export const podLabels = {...workloadLabels, ...podSelector} as const;
