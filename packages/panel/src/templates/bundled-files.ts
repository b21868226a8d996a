import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { TemplateName } from '@innkeeper/contract/text/names'
import type { Logger } from 'pino'
import { type RawTemplate, type TemplateCollection, validateAll } from './collection.ts'

/** Reads the bundled templates: `<name>/<name>.json` and `README.md`. */
export async function readBundled(templatesDir: string, log: Logger): Promise<TemplateCollection> {
  const folders = await readdir(templatesDir, { withFileTypes: true }).catch((error: unknown) => {
    log.warn({ err: error, templatesDir }, 'there are no bundled templates')
    return []
  })
  const names = folders.filter((entry) => entry.isDirectory() && TemplateName.safeParse(entry.name).success)
  return validateAll(
    await Promise.all(names.map(async ({ name }) => ({ name, ...(await readFiles(templatesDir, name)) }))),
  )
}

/** The files of a template. A file that cannot be read is an error of this template only, thrown when it is used. */
async function readFiles(templatesDir: string, name: string): Promise<Pick<RawTemplate, 'read' | 'readme'>> {
  const folder = join(templatesDir, name)
  try {
    const [text, readme] = await Promise.all([
      readIfThere(join(folder, `${name}.json`)),
      readIfThere(join(folder, 'README.md')),
    ])
    return { read: () => parsed(text), readme }
  } catch (cause) {
    return {
      read: () => {
        throw new Refusal('ErrFileNotFound', {}, { cause })
      },
    }
  }
}

function parsed(text: string | undefined): unknown {
  if (text === undefined) throw new Refusal('ErrFileNotFound')
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Refusal('ErrInvalidJson', {}, { cause })
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}
