import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isEgg } from '@innkeeper/contract/eggs/egg'
import { limits } from '@innkeeper/contract/limits'
import { parseJsonOrUndefined } from '@innkeeper/contract/parse-json'
import { parseYaml } from '@innkeeper/contract/parse-yaml'
import { slugOf } from '@innkeeper/contract/template-conversion'
import { ImportError, readSource } from '../source-files.ts'
import { type StoredEgg, templateNameOf } from './eggs.ts'

const maxFiles = 10_000

/**
 * Eggs in a JSON or YAML file, or in all such files below a folder, by their template. Files that have none are noted.
 * @throws ImportError when there is no such file or folder
 */
export async function readEggFiles(path: string, notes: string[]): Promise<ReadonlyMap<string, StoredEgg>> {
  const eggs = new Map<string, StoredEgg>()
  for (const file of await filesAt(path)) {
    const isYaml = /\.ya?ml$/i.test(file)
    try {
      const text = (await readSource(file, isYaml ? limits.yamlBytes : limits.definitionBytes)) ?? ''
      const json = isYaml ? parseYaml(text) : parseJsonOrUndefined(text)
      if (!isEgg(json)) throw new ImportError('is not an egg')
      const { name } = json as { readonly name?: unknown }
      const title = typeof name === 'string' && slugOf(name) !== '' ? name : file
      const template = templateNameOf(title)
      if (eggs.has(template)) throw new ImportError(`is left out: the template ${template} is made from another file`)
      eggs.set(template, { name: title, template, json: json as Readonly<Record<string, unknown>> })
    } catch (error) {
      notes.push(`file ${file}: ${error instanceof Error ? error.message : error}`)
    }
  }
  return eggs
}

async function filesAt(path: string): Promise<readonly string[]> {
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR')
      throw new ImportError(`There is no file or folder ${path}.`)
    throw error
  })
  if (!stats.isDirectory()) return [path]
  const names = (await readdir(path, { recursive: true })).filter((name) => /\.(json|ya?ml)$/i.test(name))
  if (names.length > maxFiles) throw new ImportError(`${path} has more than ${maxFiles} files.`)
  return names.toSorted().map((name) => join(path, name))
}
