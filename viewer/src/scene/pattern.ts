// What is drawn on surfaces, in the shape's own axes: every other eighth of a round shape darker, so that rolling is seen;
// lines of equal height on terrain; a checker where the scene asks for it.
import type { WebGLProgramParametersWithUniforms } from 'three';
import type { Geometry, Header } from '../data/header';
import { MARK } from './batch';
import { rolls } from './round';

const [NONE, EIGHTHS, HEIGHTS, CHECKER] = [0, 1, 2, 3];

/** Kind and length [m] of the pattern on a shape of this body. */
export function patternOf({ kind, size }: Geometry, body: Header['bodies'][number]): [kind: number, length: number] {
  const large = Math.max(...size);
  if (body.texture === 'checker') {
    return [CHECKER, large / 2];
  }
  if (kind === 'heights') {
    return [HEIGHTS, 10 ** Math.round(Math.log10(large / 20 || 0.05))];
  }
  return rolls(kind) ? [EIGHTHS, large] : [NONE, 1];
}

export function isPattern([kind]: [kind: number, length: number]): boolean {
  return kind !== NONE;
}

const PATTERN = `
varying vec3 own, ownNormal;
varying vec2 drawnPattern;
float wave(float x) { return clamp(cos(3.14159265 * x) / max(2.0 * fwidth(x), 1e-4), -1.0, 1.0); }
float patternLight() {
  vec3 p = own / drawnPattern.y;
  vec3 q = p / max(2.0 * fwidth(p), vec3(1e-5));
  if (drawnPattern.x < 0.5) { return 1.0; }
  if (drawnPattern.x < 1.5) { return mix(1.0, ${MARK.toFixed(2)}, 0.5 + 0.5 * clamp(q.x, -1.0, 1.0) * clamp(q.y, -1.0, 1.0) * clamp(q.z, -1.0, 1.0)); }
  if (drawnPattern.x < 2.5) { return 1.0 - 0.45 * (1.0 - smoothstep(0.3, 1.3, abs(fract(p.z - 0.5) - 0.5) / max(fwidth(p.z), 1e-5))); }
  vec3 n = abs(normalize(ownNormal));
  float s = (n.x > 0.9 ? 1.0 : wave(p.x)) * (n.y > 0.9 ? 1.0 : wave(p.y)) * (n.z > 0.9 ? 1.0 : wave(p.z));
  return 0.75 + 0.25 * s;
}
`;

export function weavePatterns(shader: WebGLProgramParametersWithUniforms): void {
  shader.vertexShader = shader.vertexShader
    .replace('#include <common>', '#include <common>\nattribute vec2 pattern;\nvarying vec3 own, ownNormal;\nvarying vec2 drawnPattern;')
    .replace('#include <begin_vertex>', '#include <begin_vertex>\nown = position;\nownNormal = normal;\ndrawnPattern = pattern;');
  shader.fragmentShader = shader.fragmentShader
    .replace('#include <common>', `#include <common>\n${PATTERN}`)
    .replace('#include <color_fragment>', '#include <color_fragment>\ndiffuseColor.rgb *= patternLight();');
}
