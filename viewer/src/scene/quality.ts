// How much a picture may cost: a processor that draws gets no shadows, no smoothing and simple light while things move, or
// it would crawl; at rest every machine draws a fine picture (passes.ts), and a graphics card always.
// `#fine` at the end of the page's address asks for it always, `#plain` never.
import { DoubleSide, ShaderChunk, MeshLambertMaterial, MeshStandardMaterial, type Material, type MaterialParameters, type Mesh, type Object3D, type Side } from 'three';
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
if (software) {
  ShaderChunk.colorspace_pars_fragment = ShaderChunk.colorspace_pars_fragment.replace(
    /vec4 sRGBTransferOETF\([^]*?\n}/,
    'vec4 sRGBTransferOETF(in vec4 value) { vec3 a = sqrt(value.rgb), b = sqrt(a); return vec4(0.585122381 * a + 0.783140355 * b - 0.368262736 * sqrt(b), value.a); }',
  );
}
export const refines = !location.hash.includes('plain');

/** The two materials of a mesh: for plain pictures, and for the passes of fine ones. */
export interface Dressed {
  plain: Material;
  fine: Material;
}

export function dress(mesh: Mesh, materials: Dressed): void {
  mesh.userData['dressed'] = materials;
  mesh.material = software ? materials.plain : materials.fine;
}

/** Everything below in the materials for this kind of picture; what is drawn by the processor in another way is told by
 * `fineOnly` and `plainOnly`. */
export function redress(root: Object3D, fine: boolean): void {
  root.traverse((object) => {
    const { dressed, fineOnly, plainOnly } = object.userData as { dressed?: Dressed; fineOnly?: boolean; plainOnly?: boolean };
    if (dressed) {
      (object as Mesh).material = fine ? dressed.fine : dressed.plain;
    }
    if (fineOnly || plainOnly) {
      object.visible = fine === (fineOnly === true);
    }
  });
}

interface Look {
  roughness: number; // 1: mat
  vertexColors?: boolean;
  side?: Side;
}

export type Lit = MeshStandardMaterial | MeshLambertMaterial;

/** Physically based; mat where a processor pays for each pixel of it. */
export function lit(look: MaterialParameters & { side?: Side }, roughness: number): Lit {
  return software ? new MeshLambertMaterial(look) : new MeshStandardMaterial({ ...look, roughness, metalness: 0 });
}

/** Of bodies; set back a little, so that points and lines on a surface are seen. */
export function surfaces({ roughness, ...look }: Look): { plain: PlainSurface; fine: Lit } {
  const common = { ...look, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 };
  return { plain: new PlainSurface(common), fine: lit({ ...common, shadowSide: DoubleSide }, roughness) };
}
