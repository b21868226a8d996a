import { deepEqual, equal, match, notEqual } from 'node:assert/strict'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Api, firstAdmin } from '../../e2e/testing/api.ts'
import { root } from '../../tools/commands.ts'
import { run } from '../build/run.ts'
import type { Documentation } from './documentation.ts'
import { GameServer, readLink } from './game-server.ts'
import type { Machine } from './machine.ts'
import { built, copyPackages, newVersion } from './packages.ts'
import type { Steps } from './steps.ts'
import { waitUntil } from './wait-until.ts'

/** Tests that all packages are reproducible, and the tarball. */
export async function testTarball(steps: Steps, folder: string, machine: Machine, docs: Documentation): Promise<void> {
  const { install, upgrade, troubleshooting } = docs
  const current = built.current(folder)
  await steps.step('the same sources give the same bytes', () => {
    const sums = [current, built.currentAgain(folder)].map((out) => readFileSync(join(out, 'SHA256SUMS'), 'utf8'))
    equal(sums[0], sums[1])
    run(['sha256sum', '--quiet', '-c', 'SHA256SUMS'], { cwd: current })
  })
  await steps.step('the bill of materials lists the runtime and the libraries, without development tools', () => {
    const [file = ''] = globSync(join(current, '*.cdx.json'))
    const { components } = JSON.parse(readFileSync(file, 'utf8')) as { components: { name: string; version: string }[] }
    const names = new Set(components.map(({ name }) => name))
    deepEqual(
      ['fastify', 'react', `node-linux-${process.arch}`, 'vite', 'vitest'].filter((name) => names.has(name)),
      ['fastify', 'react', `node-linux-${process.arch}`],
    )
  })

  const { api, server } = await steps.step(
    'tarball: unpack, start, create a server, install and start it',
    async () => {
      copyPackages(current, machine)
      install.skip('Build the packages', 'They have been built before.')
      install.run('Build the packages')
      install.run('The tarball')
      install.run('Create the service')
      writeFileSync(machine.path(unitFile), documentedUnit())
      install.run('Create the service')
      const code = () => setupCodeIn(machine.run(['journalctl', '-u', unit, '-o', 'cat']))
      const shown = await waitUntil('the log shows the setup code', code)
      const admin = await Api.setUp(url, shown)
      const installed = await GameServer.install(admin, 'From a tarball', 'tty')
      await installed.start()
      await installed.sendAndExpectEcho('hello')
      return { api: admin, server: installed }
    },
  )
  await steps.step('tarball: a new version takes over the running server', async () => {
    const before = server.processes()
    notEqual(before, '')

    copyPackages(built.new(folder), machine)
    match(upgrade.run('The tarball', { '0.1.0': newVersion }), /up to date/)

    await waitUntil('the new version runs', async () => (await readVersion(api)) === newVersion)
    await server.sendAndExpectEcho('still there?')
    equal(server.processes(), before)
  })
  await steps.step('tarball: set a forgotten password', () => {
    const user = { "passwd '#1'": `passwd '#1' <<< '${firstAdmin.password}'` }
    const output = troubleshooting.run('I lost the setup code, or the password of the only administrator', user)
    match(output, /Set the password of mara/)
  })
  await steps.step('tarball: SIGINT stops the server, then Innkeeper; remove both', async () => {
    machine.run(['systemctl', 'kill', '--kill-whom=main', '--signal=SIGINT', unit])
    await waitUntil('the service has ended', () => machine.try(['systemctl', 'is-active', '--quiet', unit]).code !== 0)
    equal(server.processes(), '')
    machine.run(['systemctl', 'disable', unit])
    machine.run(['sh', '-c', `rm -r /opt/* /usr/local/bin/innkeeper /etc/innkeeper /var/lib/innkeeper ${unitFile}`])
    machine.run(['systemctl', 'daemon-reload'])
    // A keeper without servers exits on SIGTERM.
    for (const pid of keepers()) process.kill(pid, 'SIGTERM')
    await waitUntil('no process is left', () => keepers().length === 0)
  })
}

const url = 'http://127.0.0.1:8080'
const unit = 'innkeeper.service'
const unitFile = `/etc/systemd/system/${unit}`

/** Process IDs of programs of the tarball. */
function keepers(): number[] {
  return globSync('/proc/[0-9]*/exe')
    .filter((exe) => readLink(exe).startsWith('/opt/innkeeper-'))
    .map((exe) => Number(exe.split('/')[2]))
}

/** The version of the local node. */
export async function readVersion(api: Api): Promise<string> {
  return ((await api.get('/api/nodes/0/features')) as { version: string }).version
}

/** The unit file in `docs/install.md`. */
function documentedUnit(): string {
  const page = readFileSync(join(root, 'docs/install.md'), 'utf8')
  return /```ini\n(.*?)```/s.exec(page)?.[1] ?? ''
}

/** The setup code that the first start prints. */
export function setupCodeIn(output: string): string | undefined {
  return /[0-9A-Z]{4}(-[0-9A-Z]{4}){3}/.exec(output)?.[0]
}
