import { encode } from 'uqr';

/** How much light there has to be around it, in squares (ISO/IEC 18004). */
const QUIET = 4;

/** Returns a text as a QR code: how many squares it is wide, and all that is dark as a path of SVG. Drawn here, as the console has no room for it. */
export function qrCodeOf(text: string): { size: number; path: string } {
  const { size, data } = encode(text, { ecc: 'M', border: QUIET });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return { size, path };
}
