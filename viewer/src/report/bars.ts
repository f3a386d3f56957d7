// Where the time goes: a bar a recording, its parts the stages, its length the mean time of a step.
import { COLOURS } from '../ui/axes';
import { element, withUnit } from '../ui/dom';
import type { Recording } from './data';
import { labels } from './format';
import { shares, STAGES } from './summary';

const PARTS = [...STAGES, 'other'];

export function drawBars(recordings: Recording[]): HTMLElement {
  const names = labels(recordings);
  const all = recordings.map(shares);
  const sums = all.map((parts) => parts.reduce((sum, p) => sum + p.mean, 0));
  const longest = Math.max(...sums);
  const bars = all.map((parts, k) => {
    const total = sums[k]!;
    const bar = element('div', { class: 'parts' });
    parts.forEach((part, p) => {
      const text = `${part.stage} ${withUnit(part.mean, 's')}`;
      const node = element('span', { title: text, textContent: part.mean > 0.12 * longest ? text : '' });
      node.style.width = `${longest > 0 ? (100 * part.mean) / longest : 0}%`;
      node.style.background = COLOURS[p]!;
      bar.append(node);
    });
    const about = parts.map((part) => `${part.stage} ${withUnit(part.mean, 's')}`).join(', ');
    return element(
      'div',
      { class: 'bar', role: 'img', ariaLabel: `${names[k]}: ${about}` },
      element('span', { class: 'name', textContent: names[k]! }),
      bar,
      element('span', { class: 'sum', textContent: withUnit(total, 's') }),
    );
  });
  const legend = PARTS.map((stage, k) => {
    const mark = element('i');
    mark.style.background = COLOURS[k]!;
    return element('span', {}, mark, stage);
  });
  return element(
    'figure',
    { class: 'stages', ariaLabel: 'Mean time of a step by stage' },
    element('figcaption', { textContent: 'Mean time of a step by stage' }),
    ...bars,
    element('div', { class: 'keys' }, ...legend),
  );
}
