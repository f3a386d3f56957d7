// One sentence or two that say what a reader of a report asks first: did it run, how exactly, does it stand.
import { seriesOf, type Recording } from './data';
import { digits } from './format';
import { endsEarly } from './summary';

const REST = 1e-4; // of the largest kinetic energy: what is left of it is not seen

function course(r: Recording): string {
  const steps = r.frames - 1;
  const amount = `${steps} step${steps === 1 ? '' : 's'} of ${digits(1e3 * r.step)} ms`;
  const total = seriesOf(r, 'timings/total')?.statistics;
  const pace = total?.sum ? `, ${digits(Number(((total.n * r.step) / total.sum).toPrecision(2)))} times as fast as real time` : '';
  if (r.outcome === 'done' && !endsEarly(r)) {
    return `Ran to its end: ${amount}${pace}.`;
  }
  return `${r.outcome && r.outcome !== 'done' ? `Ended early (${r.outcome})` : 'Not known to have ended'}: ${amount}${pace}.`;
}

function exactness(r: Recording): string {
  const natural = seriesOf(r, 'certificate/natural')?.statistics;
  const overlap = seriesOf(r, 'certificate/penetration')?.statistics.max;
  if (!natural || natural.n === 0 || natural.max === null) {
    return '';
  }
  const where = natural.worst_step === undefined ? '' : `, step ${natural.worst_step}`;
  const deep = typeof overlap === 'number' && overlap > 0 ? `; the deepest overlap is ${digits(1e3 * overlap)} mm` : '';
  return ` The laws of motion and contact hold to ${digits(natural.median)} in half of the steps, to ${digits(natural.max)} in the worst${where}${deep}.`;
}

function rest(r: Recording): string {
  const kinetic = seriesOf(r, 'energy/kinetic')?.statistics;
  if (!kinetic || typeof kinetic.max !== 'number' || typeof kinetic.last !== 'number') {
    return '';
  }
  if (kinetic.max <= 0) {
    return ' Nothing moves.';
  }
  return kinetic.last <= REST * kinetic.max ? ' All is at rest at the end.' : ` Things still move at the end, with ${digits(kinetic.last)} J.`;
}

export function verdict(r: Recording): string {
  return course(r) + exactness(r) + rest(r);
}
