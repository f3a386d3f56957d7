// Who draws: a graphics card, or the processor in its place.

/** By the name that WebGL gives its renderer: SwiftShader (Chromium), llvmpipe and softpipe (Mesa), WARP (Windows). */
export function isSoftware(renderer: string): boolean {
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(renderer);
}
