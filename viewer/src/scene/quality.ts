// How much a picture may cost: a processor that draws gets no shadows, no smoothing, simple light and one pass of arrows,
// or it would crawl. `#fine` at the end of the page's address asks for everything all the same.
import { MeshStandardMaterial, type Side } from 'three';
import { PlainSurface } from './plain';
import { isSoftware } from './renderer';

function drawnInSoftware(): boolean {
  if (location.hash.includes('fine')) {
    return false;
  }
  const gl = document.createElement('canvas').getContext('webgl2');
  const info = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = gl && info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return isSoftware(name);
}

export const software = drawnInSoftware();

export type Surface = MeshStandardMaterial | PlainSurface;

interface Look {
  roughness: number; // 1: mat
  vertexColors?: boolean;
  side?: Side;
  transparent?: boolean;
  opacity?: number;
  depthWrite?: boolean;
}

/** Of bodies and ground; set back a little, so that points and lines on a surface are seen. */
export function surface({ roughness, ...look }: Look): Surface {
  const common = { ...look, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 };
  return software ? new PlainSurface(common) : new MeshStandardMaterial({ ...common, roughness, metalness: 0.05 });
}
