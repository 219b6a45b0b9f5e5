/** Words for whatever was thrown; objects that cannot even be turned into text included. */
export function textOfThrown(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  try {
    return String(thrown);
  } catch {
    return 'a value without text was thrown';
  }
}
