/** Something in a user's file or on the command line that ends the command; the text is shown as it is. */
export class FileError extends Error {
  override readonly name = 'FileError';
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
