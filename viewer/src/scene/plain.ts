// Materials for a processor that draws, where every pixel of a fragment shader costs: light and the step to sRGB are
// worked out at the vertices. Under lights without a place (sun, sky) a flat face has one colour, so boxes, hulls and
// the ground look as three's Lambert material draws them; round shapes differ by what lies between two vertices.
import { Color, DoubleSide, Matrix4, ShaderMaterial, Vector3, type MaterialParameters } from 'three';

/** The lights of every scene; brightness as three counts it. */
export const LIGHTS = {
  sun: { place: new Vector3(-1.3, -0.9, 2.1), colour: 0xfff6ea, brightness: 2.1 },
  sky: { up: new Vector3(0, 0, 1), above: 0xf2f6ff, below: 0x6f6a66, brightness: 1.15 },
  everywhere: 0.2,
};

/** 1 while a picture is put together from passes, whose colours are light; 0: what is drawn is the screen's. */
export const linearLight = { value: 0 };

/** Projection times view of the picture to come; World.render sets it: a product less a vertex. */
export const viewProjection = { value: new Matrix4() };

// The curve of sRGB from square roots, within 0.002 of it: powers cost a processor most of a vertex.
const VERTEX = `
uniform mat4 viewProjection;
uniform vec3 diffuse, sunWay, sky, above, below;
uniform vec3 sunlight;
uniform float everywhere;
varying vec3 shade;
vec3 toScreen(vec3 c) {
  vec3 a = sqrt(c), b = sqrt(a);
  return 0.585122381 * a + 0.783140355 * b - 0.368262736 * sqrt(b);
}
void main() {
  vec3 colour = diffuse;
#ifdef USE_COLOR
  colour *= color;
#endif
  vec4 place = modelMatrix * vec4(position, 1.0);
  vec3 n = mat3(modelMatrix) * normal;
#ifdef BOTH_SIDES
  n = faceforward(n, place.xyz - cameraPosition, n);
#endif
  vec3 light = mix(below, above, 0.5 + 0.5 * dot(n, sky)) + everywhere + sunlight * max(0.0, dot(n, sunWay));
  shade = toScreen(min(vec3(1.0), colour * light));
  gl_Position = viewProjection * place;
}`;

const FRAGMENT = `
varying vec3 shade;
void main() {
  gl_FragColor = vec4(shade, 1.0);
}`;

export class PlainSurface extends ShaderMaterial {
  constructor(look: MaterialParameters) {
    const { sun, sky, everywhere } = LIGHTS;
    super({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      defines: look.side === DoubleSide ? { BOTH_SIDES: '' } : {},
      uniforms: {
        diffuse: { value: new Color(0xffffff) },
        viewProjection,
        sunWay: { value: sun.place.clone().normalize() },
        sunlight: { value: new Color(sun.colour).multiplyScalar(sun.brightness / Math.PI) }, // a mat surface sends a part of pi each way
        sky: { value: sky.up },
        above: { value: new Color(sky.above).multiplyScalar(sky.brightness / Math.PI) },
        below: { value: new Color(sky.below).multiplyScalar(sky.brightness / Math.PI) },
        everywhere: { value: everywhere / Math.PI },
      },
      ...look,
    });
  }

  get color(): Color {
    return this.uniforms['diffuse']!.value as Color;
  }
}

/** Points and lines whose colours are the screen's own already; size of points in pixels. */
export function plainStrokes(look: MaterialParameters, size = 1): ShaderMaterial {
  return new ShaderMaterial({
    vertexShader: `
attribute vec3 color;
varying vec3 shade;
uniform float size;
void main() {
  shade = color;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  gl_PointSize = size;
}`,
    fragmentShader: `
varying vec3 shade;
uniform float opacity, linear;
void main() {
  gl_FragColor = vec4(linear > 0.5 ? pow(shade, vec3(2.2)) : shade, opacity);
}`,
    uniforms: { size: { value: size }, opacity: { value: look.opacity ?? 1 }, linear: linearLight },
    ...look,
  });
}
