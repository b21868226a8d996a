import type { Template } from '@innkeeper/contract/definitions/definition'
import type { VariableValue } from '@innkeeper/contract/definitions/variables'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { ServerSettings } from '@innkeeper/contract/servers/existing-server'
import { getValues } from '@innkeeper/contract/servers/existing-server'
import { type RecognizedServer, recognizeServer } from '@innkeeper/contract/servers/recognized-server'
import { type PickedItem, readDirectory } from './items.ts'

/** Larger settings are not read. */
const maxSettingsBytes = 1_048_576

/** A folder or archive of a server that the user selected. */
export interface ExistingServer {
  /** Its name on the user's device. */
  readonly name: string
  /** Undefined when it has no known server. */
  readonly recognized: RecognizedServer | undefined
  readonly settings: ServerSettings
  /** What is uploaded into the folder of the new server. */
  readonly items: readonly PickedItem[]
}

/** The content of a folder or archive. */
interface Content {
  readonly name: string
  /** Those of folders end in a slash. */
  readonly paths: readonly string[]
  /** The text of a small file; empty when there is none. */
  readText(path: string): Promise<string>
  /** What is uploaded when the content of this folder is that of the server. */
  getItems(folder: string): readonly PickedItem[]
}

/** Reads the files that a user selected or dropped, and finds out which server they are. */
export async function readExistingServer(items: readonly PickedItem[]): Promise<ExistingServer> {
  const [only, ...others] = items
  const isZip = only?.type === 'file' && others.length === 0 && /\.zip$/i.test(only.path)
  const content = isZip ? await readZip(only.file) : await readFiles(items)
  const recognized = recognizeServer(content.paths)
  const prefix = recognized?.folder ? `${recognized.folder}/` : ''
  const settings = {
    settings: await content.readText(`${prefix}server.properties`),
    eula: await content.readText(`${prefix}eula.txt`),
  }
  return { name: content.name, recognized, settings, items: recognized ? content.getItems(recognized.folder) : [] }
}

async function readFiles(items: readonly PickedItem[]): Promise<Content> {
  const files: { readonly path: string; readonly file?: File }[] = []
  for (const item of items) {
    if (item.type === 'unreadableFolder') throw new Refusal('ErrDirectoryUploadNotSupported')
    if (item.type === 'folder') for await (const found of readDirectory(item.path, item.entry)) files.push(found)
    else files.push(item)
  }
  return {
    name: files[0]?.path.split('/')[0] ?? '',
    paths: files.map(({ path, file }) => (file ? path : `${path}/`)),
    async readText(path) {
      const file = files.find((candidate) => candidate.path === path)?.file
      return file && file.size <= maxSettingsBytes ? await file.text() : ''
    },
    getItems: (folder) =>
      files.map(({ path, file }): PickedItem => {
        const below = folder === '' ? path : path.slice(folder.length + 1)
        return file ? { type: 'file', path: below, file } : { type: 'emptyFolder', path: below }
      }),
  }
}

async function readZip(file: File): Promise<Content> {
  const { listZip } = await import('./zip-content.ts')
  const { paths, readText } = await listZip(file, maxSettingsBytes)
  return {
    name: file.name,
    paths,
    readText,
    getItems: (folder) => {
      const prefix = folder === '' ? '' : `${folder}/`
      const names = [...new Set(paths.map((path) => path.slice(prefix.length).split('/')[0] ?? ''))].filter(Boolean)
      return [{ type: 'file', path: file.name, file, unpacking: { folder, names } }]
    },
  }
}

/** The values of the template's variables in the settings of the server. */
export function getSettingsValues(
  template: Template,
  { settings }: Pick<ExistingServer, 'settings'>,
): Readonly<Record<string, VariableValue>> {
  return Object.fromEntries(getValues(template.data, settings))
}

/**
 * What is uploaded to a server that was created by a user who cannot change the command of the template: the jar gets
 * the name that the command has.
 */
export function withJarOfTemplate({ items, recognized }: ExistingServer): readonly PickedItem[] {
  const jar = recognized?.jar
  const to = 'server.jar'
  if (jar === undefined || jar === to) return items
  return items.map((item) => {
    if (item.type !== 'file') return item
    if (item.unpacking) return { ...item, unpacking: { ...item.unpacking, rename: { from: jar, to } } }
    return item.path === jar ? { ...item, path: to } : item
  })
}
