import type { StepFields } from '@innkeeper/contract/definitions/operations'
import { z } from 'zod'
import { parseDigest } from '../../downloads/digest.ts'
import { fetchJson, urlIn } from '../../downloads/fetch-json.ts'
import type { PreparedStep, StepContext } from '../context/step-context.ts'
import { downloadTo, notFoundAt, requireFilePath } from './remote-file.ts'

const projects = 'https://fill.papermc.io/v3/projects'

const Versions = z.object({
  versions: z.array(
    z.object({
      version: z.object({ id: z.string(), support: z.object({ status: z.string() }).nullish() }),
      builds: z.array(z.number()).optional(),
    }),
  ),
})
const Build = z.object({
  id: z.number(),
  downloads: z.record(
    z.string(),
    z.object({ url: z.string(), checksums: z.object({ sha256: z.string().optional() }).optional() }),
  ),
})

/** Downloads a server of the Paper family: `paper`, `folia`, `velocity`, `waterfall`. */
export function fetchPaper(fields: StepFields<'paperdl'>): PreparedStep {
  const path = requireFilePath(fields.target)
  const [project, requested, build] = [fields.project, fields.minecraftVersion, fields.build].map((text) => text.trim())
  const base = `${projects}/${inUrl(project)}/versions`

  return async (context) => {
    const version =
      requested === 'latest' ? await newestVersion(project ?? '', new URL(base), context) : (requested ?? '')
    const url = new URL(`${base}/${inUrl(version)}/builds/${inUrl(build)}`)
    const found = await fetchJson(url, Build, context)
    const jar = found?.downloads['server:default'] ?? Object.values(found?.downloads ?? {})[0]
    if (!found || !jar) throw notFoundAt(url.hostname, `build ${build} of ${project} ${version}`)
    context.say(`${project} ${version}, build ${found.id}`)
    await downloadTo({ url: urlIn(jar.url, url), digest: parseDigest(jar.checksums?.sha256) }, path, context)
  }
}

/**
 * The newest version with a build: releases before snapshots, supported versions before others; some projects only
 * support snapshots. The list has the newest first.
 */
async function newestVersion(project: string, url: URL, context: StepContext): Promise<string> {
  const all = (await fetchJson(url, Versions, context))?.versions ?? []
  const built = all.filter(({ builds }) => builds?.length !== 0).map(({ version }) => version)
  const supported = built.filter(({ support }) => support?.status.toUpperCase() !== 'UNSUPPORTED')
  const candidates = supported.length > 0 ? supported : built
  const newest = candidates.find(({ id }) => !/-(?:pre|rc|snapshot)/i.test(id)) ?? candidates[0]
  if (newest === undefined) throw notFoundAt(url.hostname, `version of ${project}`)
  return newest.id
}

const inUrl = (text: string | undefined): string => encodeURIComponent(text ?? '')
