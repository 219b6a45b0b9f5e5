/** What one side may tell and ask the other: names with what goes along. Values are copied as by `structuredClone`. */
export interface ThreadCalls {
  readonly tells: object;
  readonly asks: Readonly<Record<string, {readonly question: unknown; readonly answer: unknown}>>;
}

export interface ThreadPort<Out extends ThreadCalls> {
  tell<N extends keyof Out['tells'] & string>(name: N, value: Out['tells'][N]): void;
  /** Rejects with what the other side's handler threw, and when the port is closed. */
  ask<N extends keyof Out['asks'] & string>(name: N, question: Out['asks'][N]['question']): Promise<Out['asks'][N]['answer']>;
  /** Open questions reject; what comes later is dropped. */
  close(): void;
}

export interface ThreadHandlers<In extends ThreadCalls> {
  readonly tells: {readonly [N in keyof In['tells']]: (value: In['tells'][N]) => void};
  readonly asks: {readonly [N in keyof In['asks']]: (question: In['asks'][N]['question']) => Promise<In['asks'][N]['answer']> | In['asks'][N]['answer']};
  /** Of a handler of what was told. */
  readonly onError: (name: string, error: unknown) => void;
}

/** A `MessagePort`, `Worker` or `parentPort`. */
export interface MessageChannelEnd {
  postMessage(value: unknown): void;
  on(event: 'message', listener: (value: unknown) => void): unknown;
}

type Message =
  | {readonly type: 'tell'; readonly name: string; readonly value: unknown}
  | {readonly type: 'ask'; readonly name: string; readonly value: unknown; readonly id: number}
  | {readonly type: 'answer'; readonly id: number; readonly value: unknown}
  | {readonly type: 'failure'; readonly id: number; readonly message: string};

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/** Tells and questions between two threads, each in the order in which it was sent. */
export function createThreadPort<Out extends ThreadCalls, In extends ThreadCalls>(end: MessageChannelEnd, {tells, asks, onError}: ThreadHandlers<In>): ThreadPort<Out> {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let closed = false;

  const send = (message: Message) => {
    if (!closed) end.postMessage(message);
  };

  async function answer({name, value, id}: Message & {type: 'ask'}): Promise<void> {
    try {
      send({type: 'answer', id, value: await asks[name as keyof In['asks']](value)});
    } catch (error) {
      send({type: 'failure', id, message: error instanceof Error ? error.message : String(error)});
    }
  }

  function settle(id: number, how: (waiter: Waiting) => void): void {
    const waiter = waiting.get(id);
    waiting.delete(id);
    if (waiter !== undefined) how(waiter);
  }

  end.on('message', received => {
    const message = received as Message;
    if (closed) return;
    switch (message.type) {
      case 'tell':
        try {
          tells[message.name as keyof In['tells']](message.value as never);
        } catch (error) {
          onError(message.name, error);
        }
        break;
      case 'ask':
        void answer(message);
        break;
      case 'answer':
        settle(message.id, ({resolve}) => resolve(message.value as never));
        break;
      case 'failure':
        settle(message.id, ({reject}) => reject(new Error(message.message)));
    }
  });

  return {
    tell: (name, value) => send({type: 'tell', name, value}),
    ask(name, value) {
      if (closed) return Promise.reject(new Error('the other thread has ended'));
      lastId += 1;
      const id = lastId;
      return new Promise((resolve, reject) => {
        waiting.set(id, {resolve, reject});
        send({type: 'ask', name, value, id});
      });
    },
    close() {
      closed = true;
      for (const id of [...waiting.keys()]) settle(id, ({reject}) => reject(new Error('the other thread has ended')));
    },
  };
}
