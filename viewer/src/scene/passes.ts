// A fine picture is the mean of many passes: in each the camera stands a part of a pixel beside its place (smooth edges),
// the sun on another place of its disk (soft shadows), and the sky shines from another direction with shadows of its own
// (ambient occlusion). No pass costs more than a plain picture with two shadows; how many there are is the only measure
// of quality.
import { AddEquation, CustomBlending, HalfFloatType, Mesh, NoBlending, OneFactor, OrthographicCamera, PlaneGeometry, Scene, ShaderMaterial, Vector2, WebGLRenderTarget, type PerspectiveCamera, type Texture, type WebGLRenderer } from 'three';
import { linearLight } from './plain';

/** Part of the way through [0, 1) by van der Corput; two bases make Halton's points. */
export function spread(index: number, base: number): number {
  let [value, part] = [0, 1 / base];
  for (let k = index; k > 0; k = Math.floor(k / base), part /= base) {
    value += (k % base) * part;
  }
  return value;
}

function screenShader(body: string, blending: typeof CustomBlending | typeof NoBlending): ShaderMaterial {
  return new ShaderMaterial({
    vertexShader: 'varying vec2 at; void main() { at = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }',
    fragmentShader: `varying vec2 at; uniform sampler2D picture; uniform float weight; void main() { ${body} }`,
    uniforms: { picture: { value: null }, weight: { value: 1 } },
    depthTest: false,
    depthWrite: false,
    blending,
    blendEquation: AddEquation,
    blendSrc: OneFactor,
    blendDst: OneFactor,
  });
}

export class Passes {
  private readonly once = new WebGLRenderTarget(1, 1, { type: HalfFloatType });
  private readonly sum = new WebGLRenderTarget(1, 1, { type: HalfFloatType, depthBuffer: false });
  private readonly add = screenShader('gl_FragColor = min(texture2D(picture, at), 4.0);', CustomBlending); // no fireflies
  private readonly mean = screenShader('gl_FragColor = vec4(weight * texture2D(picture, at).rgb, 1.0);\n#include <colorspace_fragment>\n', NoBlending);
  private readonly quad = new Mesh(new PlaneGeometry(2, 2), this.add);
  private readonly flat = new Scene();
  private readonly eye = new OrthographicCamera();
  private readonly size = new Vector2();
  private n = 0;

  constructor(private readonly renderer: WebGLRenderer) {
    this.quad.frustumCulled = false;
    this.flat.add(this.quad);
  }

  /** Passes in the picture so far. */
  get count(): number {
    return this.n;
  }

  clear(): void {
    this.n = 0;
  }

  take(scene: Scene, camera: PerspectiveCamera): void {
    const { renderer, size, once, sum } = this;
    renderer.getDrawingBufferSize(size);
    if (once.width !== size.x || once.height !== size.y) {
      once.setSize(size.x, size.y);
      sum.setSize(size.x, size.y);
      this.n = 0;
    }
    const [dx, dy] = [spread(this.n + 1, 2) - 0.5, spread(this.n + 1, 3) - 0.5];
    camera.setViewOffset(size.x, size.y, 1.2 * dx, 1.2 * dy, size.x, size.y);
    linearLight.value = 1;
    renderer.setRenderTarget(once);
    renderer.render(scene, camera);
    linearLight.value = 0;
    camera.clearViewOffset();
    renderer.autoClear = this.n === 0;
    this.paint(this.add, once.texture, sum);
    renderer.autoClear = true;
    this.n++;
  }

  show(): void {
    this.mean.uniforms['weight']!.value = 1 / this.n;
    this.paint(this.mean, this.sum.texture, null);
  }

  private paint(material: ShaderMaterial, picture: Texture, target: WebGLRenderTarget | null): void {
    material.uniforms['picture']!.value = picture;
    this.quad.material = material;
    this.renderer.setRenderTarget(target);
    this.renderer.render(this.flat, this.eye);
    this.renderer.setRenderTarget(null);
  }
}
