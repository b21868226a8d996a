import { equal, match, notEqual, ok } from 'node:assert/strict'
import { cpSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Api, firstAdmin } from '../../e2e/testing/api.ts'
import { root } from '../../tools/commands.ts'
import { currentRelease, debianArch } from '../build/release.ts'
import { type Documentation, testDocumentation } from './documentation.ts'
import { GameServer } from './game-server.ts'
import type { Machine } from './machine.ts'
import { built, copyPackages, newVersion } from './packages.ts'
import type { Steps } from './steps.ts'
import { readVersion, setupCodeIn } from './tarball.ts'
import { waitUntil } from './wait-until.ts'

/** Not the default, so that the test fails if the configuration file is lost. */
const port = 8090
const url = `http://127.0.0.1:${port}`
const config = '/etc/innkeeper/config.json'
const units = ['innkeeper.service', 'innkeeper-panel.service']
const data = '/var/lib/innkeeper'
const debianFile = (version: string) => `innkeeper_${version}_${debianArch[currentRelease().arch]}.deb`

export async function testDebianPackage(
  steps: Steps,
  folder: string,
  machine: Machine,
  docs: Documentation,
): Promise<void> {
  // Nothing outside of the package is available: there is no network.
  const install = (version: string) =>
    machine.run(['apt-get', 'install', '-y', '-qq', `/root/${debianFile(version)}`], {
      DEBIAN_FRONTEND: 'noninteractive',
    })
  copyPackages(built.current(folder), machine)
  copyPackages(built.new(folder), machine)
  const setUp = async (unit: string) => {
    // The journal has messages of services of the same name that were removed.
    const invocation = machine.run(['systemctl', 'show', '--value', '--property=InvocationID', unit]).trim()
    const code = () => setupCodeIn(machine.run(['journalctl', '-o', 'cat', `_SYSTEMD_INVOCATION_ID=${invocation}`]))
    const shown = await waitUntil('the log shows the setup code', code)
    return await Api.setUp(url, shown)
  }
  const isReady = async () => (await fetch(`${url}/readyz`)).ok

  await steps.step('deb: install; nothing starts by itself', () => {
    docs.install.run('The Debian package')
    // For backups, which apt installs with it unless told otherwise.
    match(machine.run(['dpkg-query', '--show', '--showformat=${Recommends}', 'innkeeper']), /^restic \(>= [\d.]+\)$/)
    equal(statSync(machine.path(config)).mode & 0o777, 0o640)
    equal(machine.run(['stat', '--format=%U:%G', config]).trim(), 'root:innkeeper')
    equal(machine.try(['systemctl', 'is-active', 'innkeeper']).output.trim(), 'inactive')
    machine.run(['systemd-analyze', 'verify', ...units.map((unit) => `/usr/lib/systemd/system/${unit}`)])
  })

  const { api, server } = await steps.step(
    'deb: start the service, create a server, install and start it',
    async () => {
      writeFileSync(machine.path(config), JSON.stringify({ dataDir: data, port }))
      docs.install.run('The Debian package')
      await waitUntil('the panel is ready', isReady)
      const admin = await setUp('innkeeper')
      const installed = await GameServer.install(admin, 'From a package', 'standard')
      await installed.start()
      await installed.sendAndExpectEcho('hello')
      return { api: admin, server: installed }
    },
  )

  await steps.step('deb: the service enforces all isolation of servers that root allows', async () => {
    const { isolation } = (await api.get('/api/nodes/0/features')) as {
      isolation: Record<string, { enforced: boolean; reason?: string }>
    }
    for (const name of ['user', 'hiddenProcesses', 'noNewPrivileges'])
      ok(isolation[name]?.enforced, isolation[name]?.reason)
  })

  await steps.step('deb: restart and upgrade while the server runs; its process continues', async () => {
    const before = server.processes()
    notEqual(before, '')
    machine.run(['systemctl', 'restart', 'innkeeper'])
    await waitUntil('the panel is ready', isReady)
    await server.sendAndExpectEcho('after a restart')

    const output = docs.upgrade.run('The Debian package', { '0.1.0': newVersion })

    ok(!/conffile|config\.json/i.test(output), output)
    await waitUntil('the new version runs', async () => (await readVersion(api)) === newVersion)
    await server.sendAndExpectEcho('after an upgrade')
    equal(server.processes(), before)
    equal(JSON.parse(readFileSync(machine.path(config), 'utf8')).port, port)
  })

  await steps.step('deb: stop all servers in order, then the service', async () => {
    match(machine.run(['innkeeper', 'user', 'list']), /mara/)
    machine.run(['systemctl', 'kill', '--kill-whom=main', '--signal=SIGINT', 'innkeeper'])
    await waitUntil(
      'the service has ended',
      () => machine.try(['systemctl', 'is-active', '--quiet', 'innkeeper']).code !== 0,
    )
    equal(server.processes(), '')
    machine.run(['systemctl', 'start', 'innkeeper'])
    await waitUntil('the panel is ready', isReady)
    await server.start()
  })

  await steps.step('deb: remove stops servers and service, and keeps data and settings', async () => {
    const output = docs.install.run('Remove it', { 'remove innkeeper': 'remove -y innkeeper' })
    match(output, /Stopping all servers in order/)
    equal(server.processes(), '')
    await waitUntil(
      'no process is left',
      () => !machine.run(['sh', '-c', 'ls -l /proc/[0-9]*/exe']).includes('innkeeper'),
    )
    ok(existsSync(machine.path(config)))
    ok(existsSync(machine.path(`${data}/panel.db`)))
    ok(!existsSync(machine.path('/usr/lib/innkeeper')))
  })

  await steps.step('deb: installed again, it has its users and servers', async () => {
    install(newVersion)
    machine.run(['systemctl', 'start', 'innkeeper'])
    await waitUntil('the panel is ready', isReady)
    const { servers } = (await (await Api.signIn(url, firstAdmin)).get('/api/servers')) as {
      servers: { name: string }[]
    }
    equal(servers[0]?.name, 'From a package')
  })

  await testDocumentation(steps, { machine, docs, url, port })

  await steps.step('deb: go back to the previous version and its database', async () => {
    docs.upgrade.run('Go back')
    machine.run(['cp', `${data}/panel.db`, `${data}/panel.db.backup-20200101`])
    docs.upgrade.skip('Go back', 'A clone of the repository needs a network.')
    docs.upgrade.run('Go back')
    await waitUntil('the panel is ready', isReady)
    equal(await readVersion(await Api.signIn(url, firstAdmin)), currentRelease().version)
    machine.run(['mkdir', '-p', `${data}/innkeeper-backups`])
    machine.run(['innkeeper', 'backup', `${data}/innkeeper-backups/before-upgrade-20200101.backup`])
    docs.upgrade.run('Go back', { 'innkeeper restore': 'innkeeper restore --yes' })
    machine.run(['systemctl', 'restart', 'innkeeper'])
    await waitUntil('the panel is ready', isReady)
  })

  await steps.step('deb: purge keeps the data', () => {
    const output = machine.run(['apt-get', 'purge', '-y', '-qq', 'innkeeper'])
    match(output, /is kept/)
    ok(existsSync(machine.path(`${data}/panel.db`)))
    ok(!existsSync(machine.path('/etc/innkeeper')))
  })

  await steps.step('deb: purge on a terminal asks whether to delete the data', () => {
    cpSync(join(root, 'packaging/debian/postrm'), machine.path('/root/postrm'))
    const answer = (text: string) =>
      machine.run(['sh', '-c', `echo ${text} | script --quiet --return --command 'sh /root/postrm purge' /dev/null`])

    match(answer('no'), /Delete the data.*is kept/s)
    ok(existsSync(machine.path(`${data}/panel.db`)))
    match(answer('yes'), /Delete the data/)
    ok(!existsSync(machine.path(data)))
  })

  await steps.step('deb: the panel alone runs without root', async () => {
    install(newVersion)
    writeFileSync(machine.path(config), JSON.stringify({ dataDir: data, port }))
    machine.run(['systemctl', 'enable', '--now', 'innkeeper-panel'])
    await waitUntil('the panel is ready', isReady)
    const pid = machine.run(['systemctl', 'show', '--value', '--property=MainPID', 'innkeeper-panel']).trim()
    const uid = machine.run(['id', '-u', 'innkeeper']).trim()
    match(machine.run(['cat', `/proc/${pid}/status`]), new RegExp(`^Uid:\\s+${uid}\\s+${uid}\\s`, 'm'))
    await setUp('innkeeper-panel')
  })

  await steps.step('deb: purge deletes the data when that is asked for', () => {
    docs.install.run('Remove it', { 'purge innkeeper': 'purge -y innkeeper' })
    ok(!existsSync(machine.path(data)))
    ok(!existsSync(machine.path('/usr/bin/innkeeper')))
  })
}
