// What colours soft bodies and the elements of foundations, and the legends of it.
import type { Frame, Source } from '../data/header';
import { scaleGradient } from '../scene/colours';
import { pressureRange, type Foundation } from '../scene/foundation';
import type { SoftBodies, SoftQuantity } from '../scene/soft';
import { element, withUnit } from './dom';

const NAMES: Record<SoftQuantity, string> = { stress: 'von Mises stress', pressure: 'contact pressure', speed: 'speed', none: 'plain' };
const PARTS = [1, 0.99, 0.95, 0.9];
const QUANTITIES = Object.keys(NAMES) as SoftQuantity[];

export class Legend {
  private readonly name = element('div');
  private readonly top = element('span');
  private readonly scale = element('div', { class: 'scale' });
  readonly node = element(
    'div',
    { class: 'legend', label: 'Legend of soft bodies' },
    this.name,
    this.scale,
    element('div', { class: 'ends' }, element('span', { textContent: '0' }), this.top),
  );
  readonly choice = element('select', { label: 'Colour of soft bodies (c)' });
  readonly part = element('select', { label: 'Where the scale ends: this part of the surface is below' });

  /** changed: colours are other ones now. frames: to find the scale from. */
  constructor(
    private readonly soft: SoftBodies,
    private readonly frames: () => Frame[],
    private readonly changed: () => void,
  ) {
    this.scale.style.background = scaleGradient();
    this.choice.append(...QUANTITIES.map((q) => element('option', { value: q, textContent: NAMES[q] })));
    this.part.append(...PARTS.map((p) => element('option', { value: String(p), textContent: `scale to ${100 * p} %`, selected: p === soft.part })));
    this.part.onchange = () => {
      soft.part = Number(this.part.value);
      this.rescale();
    };
    this.choice.onchange = () => this.choose(this.choice.value as SoftQuantity);
    this.choose('stress');
  }

  choose(quantity: SoftQuantity): void {
    this.soft.quantity = this.choice.value = quantity;
    this.name.textContent = NAMES[quantity];
    this.node.hidden = quantity === 'none';
    this.rescale();
  }

  /** The scale anew, from the frames at hand. */
  rescale(): void {
    this.setTop(this.soft.topOf(this.frames()));
    this.changed();
  }

  next(): void {
    this.choose(QUANTITIES[(QUANTITIES.indexOf(this.soft.quantity) + 1) % QUANTITIES.length]!);
  }

  /** Live: larger values than ever stretch the scale. */
  adapt(frame: Frame): void {
    const high = this.soft.quantity === 'none' ? 0 : this.soft.topOf([frame]);
    if (high > 1.2 * this.soft.top) {
      this.setTop(high);
    }
  }

  private setTop(top: number): void {
    this.soft.top = top > 0 ? top : 1e-30;
    this.top.textContent = withUnit(top, this.soft.quantity === 'speed' ? 'm/s' : 'Pa');
  }
}

/** Of the pressure on foundations: its colours from the least to the largest. */
export class PressureLegend {
  private readonly ends = [element('span'), element('span')] as const;
  private readonly scale = element('div', { class: 'scale' });
  readonly node = element(
    'div',
    { class: 'legend', label: 'Legend of foundations' },
    element('div', { textContent: 'pressure on foundations' }),
    this.scale,
    element('div', { class: 'ends' }, ...this.ends),
  );

  constructor(private readonly foundation: Foundation) {
    this.scale.style.background = scaleGradient();
    this.node.hidden = true; // until there is any pressure
  }

  set visible(on: boolean) {
    this.foundation.visible = on;
    this.look();
  }

  /** The scale anew, from the frames at hand. */
  rescale(frames: Frame[]): void {
    this.foundation.range = pressureRange(frames) ?? [0, 0];
    this.look();
  }

  /** Live: pressures beyond the scale stretch it. */
  adapt(frame: Frame): void {
    const seen = pressureRange([frame]);
    const [low, high] = this.foundation.range;
    if (seen && !(high > 0)) {
      this.foundation.range = seen;
      this.look();
    } else if (seen && (seen[0] < low || seen[1] > high)) {
      this.foundation.range = [Math.min(low, seen[0]), Math.max(high, seen[1])];
      this.look();
    }
  }

  private look(): void {
    const { range, visible } = this.foundation;
    this.ends.forEach((end, k) => (end.textContent = withUnit(range[k]!, 'Pa')));
    this.node.hidden = !visible || !(range[1] > 0);
  }
}

/** Some frames over the whole time, of those at hand. */
export function sampleFrames(source: Source, last: number): Frame[] {
  const frames = Array.from({ length: 9 }, (_, k) => source.peek(Math.round((k * last) / 8)));
  return frames.filter((frame) => frame !== undefined);
}
