// How long forces are drawn; one scale for contacts and joints.
import { CONTACT, type Frame } from '../data/header';

export interface ForceScale {
  lengthPerNewton: number; // [m/N]
  longest: number; // [m]: an impact does not cross the picture
  stretch: number; // of both, as the user likes
}

/** Metres a newton for an arrow of this force; 0: less than a pixel or so of the whole picture, left out. */
export function drawnLength(scale: ForceScale, force: number, crowded = false): number {
  const s = scale.stretch * Math.min(scale.lengthPerNewton, scale.longest / force);
  return s * force > (crowded ? 0.01 : 0.002) * scale.longest ? s : 0;
}

export function largestForce(frame: Frame): number {
  let most = 0;
  const take = (numbers: Float32Array, at: number, step: number): void => {
    for (let k = at; k < numbers.length; k += step) {
      const square = numbers[k]! ** 2 + numbers[k + 1]! ** 2 + numbers[k + 2]! ** 2;
      most = square > most ? square : most;
    }
  };
  take(frame.contacts, CONTACT.force, CONTACT.width);
  take(frame.jointForces, 0, 3);
  return Math.sqrt(most);
}
