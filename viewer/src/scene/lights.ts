// Sun and sky. A plain picture has the sun and the sky's light from all sides at once; a pass of a fine one has the sun
// somewhere on its disk and the sky as one more lamp that shines from one direction.
import { AmbientLight, DirectionalLight, HemisphereLight, Vector3, type Scene } from 'three';
import { spread } from './passes';
import { LIGHTS } from './plain';
import { software } from './quality';

const SUN_RADIUS = 0.07; // of its disk, as far away as 1: softer than the real one's 0.005, as studio light is
const SHADOW_MAP = software ? 1024 : 2048;

export class Lights {
  private readonly sun = lamp(LIGHTS.sun.brightness);
  private readonly sky = lamp(0);
  private readonly dome = new HemisphereLight();
  private readonly centre = new Vector3();
  private radius = 1;

  constructor(scene: Scene) {
    this.dome.position.copy(LIGHTS.sky.up);
    scene.add(this.sun, this.sun.target, this.sky, this.sky.target, this.dome, new AmbientLight(0xffffff, LIGHTS.everywhere));
    this.plain();
  }

  /** What is to have shadows: a ball. */
  aim(centre: Vector3, radius: number): void {
    this.centre.copy(centre);
    this.radius = radius;
  }

  plain(): void {
    this.sky.visible = false;
    this.dome.color.set(LIGHTS.sky.above);
    this.dome.groundColor.set(LIGHTS.sky.below);
    this.dome.intensity = LIGHTS.sky.brightness;
    this.place(this.sun, LIGHTS.sun.place.clone().normalize());
  }

  /** The lamps of pass k: sun over its disk, sky evenly over the half sphere above, from all sides at once where a
   * picture has few passes: the shadows of single lamps would be seen. */
  pass(k: number, many = true): void {
    this.plain();
    const to = LIGHTS.sun.place.clone().normalize();
    const across = new Vector3(0, 0, 1).cross(to).normalize();
    const up = to.clone().cross(across);
    const [r, turn] = [SUN_RADIUS * Math.sqrt(spread(k + 1, 5)), 2 * Math.PI * spread(k + 1, 2)];
    this.place(this.sun, to.clone().addScaledVector(across, r * Math.cos(turn)).addScaledVector(up, r * Math.sin(turn)).normalize());
    if (!many) {
      return;
    }
    const z = 0.04 + 0.96 * spread(k + 1, 3);
    const round = 2 * Math.PI * spread(k + 1, 7);
    const flat = Math.sqrt(1 - z * z);
    this.place(this.sky, new Vector3(flat * Math.cos(round), flat * Math.sin(round), z));
    this.sky.visible = true;
    this.sky.intensity = 2 * LIGHTS.sky.brightness; // of a sky as bright as 1/pi everywhere, half of each ray's n . d is lost
    this.dome.color.set(0x000000); // what is above shines by its lamp
    this.dome.groundColor.set(LIGHTS.sky.below);
  }

  private place(light: DirectionalLight, to: Vector3): void {
    const { radius, centre } = this;
    light.position.copy(centre).addScaledVector(to, 4 * radius);
    light.target.position.copy(centre);
    light.target.updateMatrixWorld();
    const camera = light.shadow.camera;
    camera.left = camera.bottom = -radius;
    camera.right = camera.top = radius;
    camera.near = 2 * radius;
    camera.far = 8 * radius;
    camera.updateProjectionMatrix();
    light.shadow.normalBias = (3 * radius) / SHADOW_MAP; // some texels of the map, or surfaces would shade themselves in stripes
    light.shadow.bias = -0.0004;
  }
}

function lamp(brightness: number): DirectionalLight {
  const light = new DirectionalLight(0xffffff, brightness);
  light.castShadow = true;
  light.shadow.mapSize.set(SHADOW_MAP, SHADOW_MAP);
  return light;
}
