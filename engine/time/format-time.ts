import {type Civil, civilOf, type Instant} from './instant.js';
import {type FieldName, type LayoutElement, rfc3339, splitLayout} from './layout.js';
import {dayNames, monthNames} from './names.js';

const rfc3339Elements = splitLayout(rfc3339);

/** Text of an instant in a Go layout, at its own offset. */
export function formatTime(instant: Instant, layout: string): string {
  return render(instant, layout === rfc3339 ? rfc3339Elements : splitLayout(layout));
}

function render(instant: Instant, elements: readonly LayoutElement[]): string {
  const civil = civilOf(instant);
  return elements
    .map(element => {
      if (element.kind === 'text') return element.text;
      if (element.kind === 'field') return fieldText(element.text, civil, instant);
      const digits = String(civil.nanosecond).padStart(9, '0').slice(0, element.digits).padEnd(element.digits, '0');
      if (!element.trimmed) return `${element.text[0]}${digits}`;
      const trimmed = digits.replace(/0+$/, '');
      return trimmed === '' ? '' : `${element.text[0]}${trimmed}`;
    })
    .join('');
}

const two = (value: number) => String(value).padStart(2, '0');
const hour12 = (civil: Civil) => civil.hour % 12 || 12;

function fieldText(name: FieldName, civil: Civil, instant: Instant): string {
  switch (name) {
    case 'January':
      return monthNames[civil.month - 1]!;
    case 'Jan':
      return monthNames[civil.month - 1]!.slice(0, 3);
    case 'Monday':
      return dayNames[civil.weekday]!;
    case 'Mon':
      return dayNames[civil.weekday]!.slice(0, 3);
    case 'MST':
      return zoneName(instant);
    case '2006':
      return civil.year < 0 ? `-${String(-civil.year).padStart(4, '0')}` : String(civil.year).padStart(4, '0');
    case '06':
      return two(((civil.year % 100) + 100) % 100);
    case '01':
      return two(civil.month);
    case '1':
      return String(civil.month);
    case '02':
      return two(civil.day);
    case '_2':
      return String(civil.day).padStart(2, ' ');
    case '2':
      return String(civil.day);
    case '002':
      return String(civil.yearDay).padStart(3, '0');
    case '__2':
      return String(civil.yearDay).padStart(3, ' ');
    case '15':
      return two(civil.hour);
    case '03':
      return two(hour12(civil));
    case '3':
      return String(hour12(civil));
    case '04':
      return two(civil.minute);
    case '4':
      return String(civil.minute);
    case '05':
      return two(civil.second);
    case '5':
      return String(civil.second);
    case 'PM':
      return civil.hour >= 12 ? 'PM' : 'AM';
    case 'pm':
      return civil.hour >= 12 ? 'pm' : 'am';
    default:
      return offsetText(name, instant.offset);
  }
}

function zoneName({zone, offset}: Instant): string {
  if (zone !== '') return zone;
  return offsetText(offset % 3600 === 0 ? '-07' : '-0700', offset);
}

/** `name` gives the shape: `Z…` prints `Z` for UTC; colons and seconds as written. */
function offsetText(name: string, offset: number): string {
  if (name.startsWith('Z') && offset === 0) return 'Z';
  const size = Math.abs(offset);
  const parts = [two(Math.floor(size / 3600))];
  const shape = name.slice(1).replaceAll(':', '');
  if (shape.length >= 4) parts.push(two(Math.floor((size % 3600) / 60)));
  if (shape.length >= 6) parts.push(two(size % 60));
  return `${offset < 0 ? '-' : '+'}${parts.join(name.includes(':') ? ':' : '')}`;
}
