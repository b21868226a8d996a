import { type FileJob, getFile, searchFiles } from '@innkeeper/contract/servers/files'
import {
  hasProgram,
  isTemplateMismatch,
  nestedSigns,
  type RecognizedServer,
  recognizeServer,
} from '@innkeeper/contract/servers/recognized-server'
import type { ServerDetail } from '@innkeeper/contract/servers/servers'
import { useCallback, useState } from 'react'
import { basename, joinPath, parsePath } from '../../api/file-paths.ts'
import { request } from '../../api/request.ts'
import { browserStorage } from '../../api/storage.ts'
import { readExistingServer } from '../../features/uploads/existing-server.ts'
import type { PickedItem } from '../../features/uploads/items.ts'
import { useCan } from '../../session/session.tsx'

const storageKey = 'innkeeper.otherKinds'
const maxDismissed = 100

/** A Minecraft server that was found among the files of a server of another template. */
export interface TemplateMismatch {
  /** Its file or folder. */
  readonly name: string
  readonly template: string
  /** The files on the user's device; none when an archive was extracted on the node. */
  readonly items: readonly PickedItem[]
}

/**
 * Recognizes uploaded and extracted Minecraft servers of another kind, for users who may create a server for them. One
 * that was dismissed is not found again for the same server.
 */
export function useTemplateMismatch(server: ServerDetail) {
  const canCreate = useCan('servers.create')
  const [found, setFound] = useState<TemplateMismatch>()
  const { id } = server

  const show = (recognized: RecognizedServer | undefined, name: string, items: readonly PickedItem[]) => {
    if (!recognized || !hasProgram(recognized) || !isTemplateMismatch(recognized, server)) return
    const { template } = recognized
    if (!readDismissed().includes(`${id} ${template}`)) setFound({ name, template, items })
  }
  const checkItems = async (items: readonly PickedItem[]) => {
    if (!canCreate) return
    // The upload reports files that cannot be read.
    const existing = await readExistingServer(items).catch(() => undefined)
    if (existing) show(existing.recognized, existing.name, items)
  }
  const checkJob = async ({ kind, state, path, destination }: FileJob) => {
    if (!canCreate || kind !== 'extract' || state !== 'done' || destination === undefined) return
    // The list of files reports a folder that cannot be read.
    const recognized = await recognizeFolder(id, parsePath(destination)).catch(() => undefined)
    show(recognized, basename(path), [])
  }
  const dismiss = useCallback(() => {
    if (!found) return
    const dismissed = [`${id} ${found.template}`, ...readDismissed()]
    browserStorage.set(storageKey, JSON.stringify(dismissed.slice(0, maxDismissed)))
    setFound(undefined)
  }, [id, found])
  return { found, checkItems, checkJob, dismiss }
}

/** Recognizes the server in a folder of a node, or in the only folder there. */
async function recognizeFolder(id: string, folder: string): Promise<RecognizedServer | undefined> {
  const paths = await listPaths(id, folder)
  const [only, ...others] = paths
  const isOneFolder = only?.endsWith('/') === true && others.length === 0
  return isOneFolder ? recognizeFolder(id, joinPath(folder, only.slice(0, -1))) : recognizeServer(paths)
}

/** The paths in a folder, and those of signs in its subfolders. */
async function listPaths(id: string, folder: string): Promise<readonly string[]> {
  const entries = await request(getFile, { params: { id, path: folder } })
  const paths = entries.filter(({ name }) => name !== '..').map(({ name, isFile }) => (isFile ? name : `${name}/`))
  const signs = nestedSigns.filter(({ folder: parent }) => paths.includes(parent))
  const prefix = folder === '' ? '' : `${folder}/`
  const nested = signs.map(async ({ folder: parent, name }) => {
    const query = { path: joinPath(folder, parent.slice(0, -1)), text: name }
    const { found } = await request(searchFiles, { params: { id }, query })
    return found.map((entry) => joinPath(parsePath(entry.path), entry.name).slice(prefix.length))
  })
  return [...paths, ...(await Promise.all(nested)).flat()]
}

function readDismissed(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(browserStorage.get(storageKey) ?? '[]')
    return Array.isArray(stored) ? stored.filter((entry) => typeof entry === 'string') : []
  } catch {
    // Not JSON: nothing was dismissed.
    return []
  }
}
