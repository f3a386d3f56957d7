// What the tests read of the validator's report; the package brings no types.
declare module 'gltf-validator' {
  interface Report {
    issues: { messages: { severity: number; code: string; message: string; pointer: string }[] };
    info: { version: string; animationCount: number; totalTriangleCount: number };
  }
  const validator: { validateBytes(bytes: Uint8Array): Promise<Report> };
  export default validator;
}
