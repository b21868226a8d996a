import type { StepFields } from '@innkeeper/contract/definitions/operations'
import { z } from 'zod'
import { parseDigest } from '../../downloads/digest.ts'
import { fetchText, requireJson } from '../../downloads/fetch-json.ts'
import type { PreparedStep } from '../context/step-context.ts'
import { isInstalled, linkAll, safeFileName } from './javadl.ts'
import { notFoundAt } from './remote-file.ts'
import { findNewest } from './versions.ts'

const dist = 'https://nodejs.org/dist'
const Index = z.array(z.object({ version: z.string() }))

const machines: Readonly<Record<string, string>> = { amd64: 'x64', arm: 'armv7l' }

/** Replaces links in the archive, which are not extracted; finds its own location. */
const launcher = (program: string): string => `#!/bin/sh
here=$(dirname -- "$(readlink -f -- "$0")")
PATH="$here:$PATH" exec "$here/node" "$here/../lib/node_modules/npm/bin/${program}-cli.js" "$@"
`

/**
 * Installs Node.js on the node and links it into the server's PATH as `node22`, `npm22`, and `node` for its newest
 * version.
 */
export function fetchNode(fields: StepFields<'nodejsdl'>): PreparedStep {
  const major = fields.version.trim()

  return async (context) => {
    if (await isInstalled(`node${major}`, context)) return
    const { fetch, signal, conditionContext } = context
    const index = new URL(`${dist}/index.json`)
    const versions = (await requireJson(index, Index, context)).map(({ version }) => version)
    const version = findNewest(versions.filter((one) => one.startsWith(`v${major}.`)))
    if (version === undefined) throw notFoundAt(index.hostname, `Node.js ${major}`)

    const machine = machines[conditionContext.arch] ?? conditionContext.arch
    const name = safeFileName(`node-${version}-${conditionContext.os}-${machine}`)
    const url = new URL(`${dist}/${encodeURIComponent(version)}/${name}.tar.gz`)
    const sums = await fetchText(new URL(`${dist}/${encodeURIComponent(version)}/SHASUMS256.txt`), context)
    const sum = (sums ?? '').split('\n').find((line) => line.trim().endsWith(` ${name}.tar.gz`))
    const digest = parseDigest(sum)
    if (sums === undefined) context.say(`${url.hostname} publishes no checksum for ${name}.tar.gz`)
    else if (!digest) throw notFoundAt(url.hostname, `Node.js ${version} for ${conditionContext.os} on ${machine}`)

    const scripts = { 'bin/npm': launcher('npm'), 'bin/npx': launcher('npx') }
    const runtime = { name, url, digest, archive: 'node.tar.gz', programs: ['bin/node'], scripts }
    await context.sharedStore.runtimes.ensure(runtime, { fetch, signal, say: (message) => context.say(message) })
    const programs = ['node', 'npm', 'npx'].map((program) => [program, `${name}/bin/${program}`] as const)
    const numbered = Object.fromEntries(programs.map(([program, path]) => [`${program}${major}`, path]))
    await linkAll(numbered, Object.fromEntries(programs), major, context)
    context.say(`Node.js ${major} is installed: ${version}`)
  }
}
