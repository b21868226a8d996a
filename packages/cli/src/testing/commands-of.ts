import { readFile } from 'node:fs/promises'

/** The shell commands of a documentation page, in order. */
export async function readCommands(page: string): Promise<string[]> {
  const text = await readFile(new URL(`../../../../docs/${page}`, import.meta.url), 'utf8')
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code = '']) => code)
}
