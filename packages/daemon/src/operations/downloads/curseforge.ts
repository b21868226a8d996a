import type { StepFields } from '@innkeeper/contract/definitions/operations'
import { z } from 'zod'
import { extractArchive } from '../../archives/archives.ts'
import { parseDigest } from '../../downloads/digest.ts'
import { fetchJson, urlIn } from '../../downloads/fetch-json.ts'
import { moveTree } from '../../file-jobs/move-tree.ts'
import { getChild, parsePath, rootPath } from '../../files/path/safe-path.ts'
import { Progress } from '../../files/tree/progress.ts'
import type { PreparedStep, StepContext } from '../context/step-context.ts'
import { installLoader } from './mod-loader.ts'
import { downloadTo, notFoundAt } from './remote-file.ts'
import { scratchDirectory } from './scratch-directory.ts'

const api = 'https://api.curseforge.com/v1/mods'

const File = z.object({
  id: z.number(),
  displayName: z.string().nullish(),
  fileDate: z.string(),
  fileStatus: z.number().optional(),
  releaseType: z.number().optional(),
  isServerPack: z.boolean().nullish(),
  serverPackFileId: z.number().nullish(),
  downloadUrl: z.string().nullish(),
  hashes: z.array(z.object({ value: z.string(), algo: z.number() })).nullish(),
})
type File = z.infer<typeof File>

const Mod = z.object({ data: z.object({ latestFiles: z.array(File) }) })
const OneFile = z.object({ data: File })

/** Approved and released files; releases take precedence over betas. */
const approvedStatuses = [4, 10]
const release = 1

/** Installs a CurseForge mod pack, its server pack if it has one, and its mod loader. */
export function installModPack(fields: StepFields<'curseforge'>): PreparedStep {
  const [projectId, fileId, java] = [fields.projectId.trim(), fields.fileId.trim(), fields.java.trim()]
  for (const id of [projectId, fileId]) if (!/^\d*$/.test(id)) throw new Error(`"${id}" is not a CurseForge project id`)

  return async (context) => {
    if (!context.curseforgeKey) {
      throw new Error(
        'this node has no key of the CurseForge API. An administrator can get one at console.curseforge.com and set it as INNKEEPER_CURSEFORGE_KEY',
      )
    }
    const asking = { fetch: context.fetch, signal: context.signal, headers: { 'x-api-key': context.curseforgeKey } }
    const chosen = Number(fileId) > 0 ? await readFile(fileId) : await newestFile()
    const hasPack = !chosen.isServerPack && chosen.serverPackFileId
    const file = hasPack ? await readFile(String(chosen.serverPackFileId)) : chosen
    if (!file.isServerPack && !hasPack) context.say('This pack has no server edition: trying the client edition')
    await unpack(file, context)
    await installLoader(java, context)

    async function newestFile(): Promise<File> {
      const url = new URL(`${api}/${encodeURIComponent(projectId)}`)
      const mod = await fetchJson(url, Mod, asking)
      if (!mod) throw notFoundAt(url.hostname, `project ${projectId}`)
      const approved = mod.data.latestFiles.filter(
        ({ fileStatus, releaseType = release }) =>
          releaseType === release && (fileStatus === undefined || approvedStatuses.includes(fileStatus)),
      )
      const newest = approved.toSorted((a, b) => Date.parse(a.fileDate) - Date.parse(b.fileDate)).at(-1)
      if (!newest) throw notFoundAt(url.hostname, `release of project ${projectId}`)
      return newest
    }

    async function readFile(id: string): Promise<File> {
      const url = new URL(`${api}/${encodeURIComponent(projectId)}/files/${encodeURIComponent(id)}`)
      const found = await fetchJson(url, OneFile, asking)
      if (!found) throw notFoundAt(url.hostname, `file ${id} of project ${projectId}`)
      return found.data
    }
  }
}

/** Extracts into a temporary directory first: the contents of its single directory, if it has one, are moved. */
async function unpack({ id, displayName, downloadUrl, hashes }: File, context: StepContext): Promise<void> {
  const { files, signal } = context
  if (!downloadUrl) {
    throw new Error(`the author of ${displayName ?? id} does not allow downloads except from the CurseForge site`)
  }
  context.say(`Mod pack: ${displayName ?? id}`)
  const url = urlIn(downloadUrl, new URL(api))
  const directory = parsePath(`.curseforge-${id}`)
  const archive = getChild(directory, 'pack.zip')
  const content = getChild(directory, 'content')
  await using _ = await scratchDirectory(files, directory)
  await files.mkdirs(content)
  const digest = parseDigest(hashes?.find(({ algo }) => algo === 1)?.value ?? hashes?.[0]?.value)
  await downloadTo({ url, digest }, archive, context)
  const progress = new Progress()
  context.say('Extracting the mod pack')
  await extractArchive({ files, archive, destination: content, onConflict: 'replace', progress, signal })
  const [first, ...others] = await files.readdir(content)
  const inside = first?.kind === 'folder' && others.length === 0 ? getChild(content, first.name) : content
  for (const { name } of await files.readdir(inside)) {
    const moving = { onConflict: 'replace', progress: new Progress(), signal } as const
    await moveTree(files, getChild(inside, name), getChild(rootPath, name), moving)
  }
}
