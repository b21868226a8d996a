import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isEgg } from '@innkeeper/contract/eggs/egg'
import { getSlug } from '@innkeeper/contract/templates/template-conversion'
import { limits } from '@innkeeper/contract/text/limits'
import { parseJsonOrUndefined } from '@innkeeper/contract/text/parse-json'
import { parseYaml } from '@innkeeper/contract/text/parse-yaml'
import { ImportError, readSource } from '../source-files.ts'
import { getTemplateName, type StoredEgg } from './eggs.ts'

const maxFiles = 10_000

/** An egg of a file. */
export interface FileEgg {
  readonly file: string
  readonly json: Readonly<Record<string, unknown>>
}

/**
 * The eggs in a JSON or YAML file, or in all such files below a folder. A file that cannot be read is noted, and so is
 * how many hold something else.
 * @throws ImportError when there is no such file or folder
 */
export async function findEggs(path: string, notes: string[]): Promise<FileEgg[]> {
  const eggs: FileEgg[] = []
  const others: string[] = []
  for (const file of await filesAt(path)) {
    const isYaml = /\.ya?ml$/i.test(file)
    try {
      const text = (await readSource(file, isYaml ? limits.yamlBytes : limits.definitionBytes)) ?? ''
      const json = isYaml ? parseYaml(text) : parseJsonOrUndefined(text.replace(/^\uFEFF/, ''))
      if (isEgg(json)) eggs.push({ file, json: json as FileEgg['json'] })
      else others.push(file)
    } catch (error) {
      notes.push(`file ${file}: ${error instanceof Error ? error.message : error}`)
    }
  }
  if (others.length > 0) notes.push(`files that are no eggs: ${listed(others)}`)
  return eggs
}

/** Eggs of files by their template. Of several with the same name, the first is used, and the others are noted. */
export async function readEggFiles(path: string, notes: string[]): Promise<ReadonlyMap<string, StoredEgg>> {
  const eggs = new Map<string, StoredEgg & { readonly file: string }>()
  for (const { file, json } of await findEggs(path, notes)) {
    const name = typeof json.name === 'string' && getSlug(json.name) !== '' ? json.name : file
    const template = getTemplateName(name)
    const first = eggs.get(template)
    if (first) notes.push(`file ${file}: not imported, because ${first.file} is an egg of the same name, ${first.name}`)
    else eggs.set(template, { file, name, template, json })
  }
  return eggs
}

const maxListed = 3

const listed = (files: readonly string[]): string =>
  files.length > maxListed
    ? `${files.slice(0, maxListed).join(', ')} and ${files.length - maxListed} more`
    : files.join(', ')

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
