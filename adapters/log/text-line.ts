const leading = new Set(['level', 'time', 'message']);
const plain = /^[^\s\p{C}"=]+$/u;

/** One JSON log line as `TIME LEVEL message key=value …`; values with spaces, quotes or `=` are JSON strings. */
export function formatTextLine(line: string): string {
  const entry = JSON.parse(line) as Record<string, unknown>;
  let text = `${entry['time']} ${String(entry['level']).toUpperCase()} ${oneLine(String(entry['message'] ?? ''))}`;
  for (const [key, value] of Object.entries(entry)) {
    if (!leading.has(key)) text += ` ${key}=${formatValue(value)}`;
  }
  return `${text}\n`;
}

/** A message must not be able to forge further log lines, nor to move a terminal's cursor. */
function oneLine(message: string): string {
  return message.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}

function formatValue(value: unknown): string {
  if (typeof value === 'string' && plain.test(value)) return value;
  return JSON.stringify(value) ?? 'undefined';
}
