import type { StepFields } from '@innkeeper/contract/definitions/operations'
import { z } from 'zod'
import { parseDigest } from '../../downloads/digest.ts'
import { fetchJson, fetchText, requireJson, urlIn } from '../../downloads/fetch-json.ts'
import type { RuntimePackage } from '../../runtimes/runtime-store.ts'
import type { PreparedStep, StepContext } from '../context/step-context.ts'
import { notFoundAt } from './remote-file.ts'
import { findNewest } from './versions.ts'

const Releases = z.array(
  z.object({
    release_name: z.string(),
    binaries: z.array(z.object({ package: z.object({ link: z.string(), checksum: z.string().nullish() }) })),
  }),
)

/** Adoptium's names of architectures that Go names differently. */
const javaMachines: Readonly<Record<string, string>> = { amd64: 'x64', arm64: 'aarch64', arm: 'arm', '386': 'x86' }

/**
 * Installs Java on the node and links it into the server's PATH as `java21`, `javac21`, and `java` for its newest
 * version.
 */
export function fetchJava(fields: StepFields<'javadl'>): PreparedStep {
  const major = fields.version.trim()

  return async (context) => {
    if (await isInstalled(`java${major}`, context)) return
    const { conditionContext } = context
    const machine = javaMachines[conditionContext.arch] ?? conditionContext.arch
    const url = new URL(`https://api.adoptium.net/v3/assets/feature_releases/${major}/ga`)
    const query = {
      architecture: machine,
      image_type: 'jdk',
      os: conditionContext.os,
      page: '0',
      page_size: '1',
      project: 'jdk',
      sort_method: 'DEFAULT',
      sort_order: 'DESC',
      vendor: 'eclipse',
    }
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const [release] = (await fetchJson(url, Releases, context)) ?? []
    const binary = release?.binaries[0]?.package
    if (!release || !binary) throw notFoundAt(url.hostname, `Java ${major} for ${conditionContext.os} on ${machine}`)

    const name = `java-${safeFileName(release.release_name)}-${machine}`
    const link = urlIn(binary.link, url)
    const programs = ['bin/java', 'bin/javac']
    const runtime = { name, url: link, digest: parseDigest(binary.checksum), archive: 'java.tar.gz', programs }
    await installAndLink(runtime, ['java', 'javac'], major, context)
    context.say(`Java ${major} is installed: ${release.release_name}`)
  }
}

/** Whether the server's PATH has it already; prints so. */
async function isInstalled(program: string, context: StepContext): Promise<boolean> {
  const isFound = await context.inPath(program)
  if (isFound) context.say(`${program} is already installed`)
  return isFound
}

/** Installs a runtime, and links its programs as `java21`, and as `java` unless a newer version has this name. */
async function installAndLink(
  runtime: RuntimePackage,
  programs: readonly string[],
  major: string,
  context: StepContext,
): Promise<void> {
  const { fetch, signal, conditionContext } = context
  const { runtimes } = context.sharedStore
  await runtimes.ensure(runtime, { fetch, signal, say: (message) => context.say(message) })
  const existingLinks = await runtimes.readLinks(conditionContext.serverId)
  const [first = ''] = programs
  const majors = existingLinks.filter((name) => name.startsWith(first)).map((name) => Number(name.slice(first.length)))
  const isNewest = majors.every((other) => !(other > Number(major)))
  const getLinks = (suffix: string) =>
    Object.fromEntries(programs.map((program) => [`${program}${suffix}`, `${runtime.name}/bin/${program}`]))
  await runtimes.linkForServer(conditionContext.serverId, { ...getLinks(major), ...(isNewest && getLinks('')) })
}

/** A version as a safe file name. */
export const safeFileName = (version: string): string => version.replace(/[^\w.+-]/g, '_').replace(/^\.+/, '')

const dist = 'https://nodejs.org/dist'
const Index = z.array(z.object({ version: z.string() }))

const nodeMachines: Readonly<Record<string, string>> = { amd64: 'x64', arm: 'armv7l' }

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
    const { conditionContext } = context
    const index = new URL(`${dist}/index.json`)
    const versions = (await requireJson(index, Index, context)).map(({ version }) => version)
    const version = findNewest(versions.filter((one) => one.startsWith(`v${major}.`)))
    if (version === undefined) throw notFoundAt(index.hostname, `Node.js ${major}`)

    const machine = nodeMachines[conditionContext.arch] ?? conditionContext.arch
    const name = safeFileName(`node-${version}-${conditionContext.os}-${machine}`)
    const url = new URL(`${dist}/${encodeURIComponent(version)}/${name}.tar.gz`)
    const sums = await fetchText(new URL(`${dist}/${encodeURIComponent(version)}/SHASUMS256.txt`), context)
    const sum = (sums ?? '').split('\n').find((line) => line.trim().endsWith(` ${name}.tar.gz`))
    const digest = parseDigest(sum)
    if (sums === undefined) context.say(`${url.hostname} publishes no checksum for ${name}.tar.gz`)
    else if (!digest) throw notFoundAt(url.hostname, `Node.js ${version} for ${conditionContext.os} on ${machine}`)

    const scripts = { 'bin/npm': launcher('npm'), 'bin/npx': launcher('npx') }
    const runtime = { name, url, digest, archive: 'node.tar.gz', programs: ['bin/node'], scripts }
    await installAndLink(runtime, ['node', 'npm', 'npx'], major, context)
    context.say(`Node.js ${major} is installed: ${version}`)
  }
}
