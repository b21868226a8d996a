import { match, ok } from 'node:assert/strict'
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Node } from '@innkeeper/contract/nodes/nodes'
import { Api, firstAdmin } from '../../e2e/testing/api.ts'
import { root } from '../../tools/commands.ts'
import { DocumentedCommands } from './documented-commands.ts'
import { GameServer } from './game-server.ts'
import type { Machine } from './machine.ts'
import type { Steps } from './steps.ts'
import { waitUntil } from './wait-until.ts'

export type Documentation = ReturnType<typeof documentationFor>

/** The pages of the documentation whose shell commands are run in a machine. */
export function documentationFor(machine: Machine) {
  const page = (path: string) => new DocumentedCommands(path, machine)
  const pages = {
    api: page('docs/api.md'),
    backup: page('docs/backup.md'),
    backups: page('docs/backups.md'),
    commandLine: page('docs/command-line.md'),
    docker: page('docs/docker.md'),
    install: page('docs/install.md'),
    reverseProxy: page('docs/reverse-proxy.md'),
    serversAsCode: page('docs/servers-as-code.md'),
    themes: page('docs/themes.md'),
    troubleshooting: page('docs/troubleshooting.md'),
    upgrade: page('docs/upgrade.md'),
  }
  return {
    ...pages,
    /** @throws Error when a page has commands that were neither run nor skipped. */
    finish(): void {
      pages.install.skip(
        'From the repository',
        'It needs a network. All tests run in a clone that was made ready like this.',
      )
      pages.upgrade.skip('The repository', 'It needs a network.')
      for (const one of Object.values(pages)) one.finish()
    },
  }
}

interface Installation {
  readonly machine: Machine
  readonly docs: Documentation
  readonly url: string
  readonly port: number
}

/** Runs the documented commands for a service that is installed from the Debian package and runs. */
export async function testDocumentation(steps: Steps, { machine, docs, url, port }: Installation): Promise<void> {
  const isReady = async () => (await fetch(`${url}/readyz`)).ok
  const read = (path: string) => readFileSync(machine.path(path), 'utf8')

  await steps.step('docs: the command line', () => {
    match(docs.commandLine.run('The command line'), /mara/)
    writeFileSync(machine.path('/root/password.txt'), 'a quiet evening\n')
    docs.commandLine.run('Users', { 'mara mara@example.org': 'wren wren@example.org' })
  })

  await steps.step('docs: keep servers and users in a file', () => {
    docs.serversAsCode.run('Export')
    match(docs.serversAsCode.run('Apply'), /^0 to create, 0 to change, 0 to delete, \d+ unchanged\.$/m)
    docs.serversAsCode.run('Apply')
    docs.serversAsCode.run('Apply')
  })

  await steps.step('docs: make a theme', async () => {
    const { colors } = documentedJson('docs/themes.md') as { colors: unknown }
    mkdirSync(machine.path('/root/forest'))
    writeFileSync(machine.path('/root/forest/theme.json'), JSON.stringify({ colors }))
    docs.themes.run('Make your own')
    const archive = readFileSync(machine.path('/root/forest.tar')).toString('base64')
    await (await Api.signIn(url, firstAdmin)).put('/api/themes/Forest', { archive })
  })

  await steps.step('docs: use the API', () => {
    const output = docs.api.runAll(
      [
        'Use the API',
        'Create a client',
        'Get a token',
        'Create a server',
        'Reserve room',
        'Install, start and stop it',
        'Send a command and read the console',
        'Files',
      ],
      {
        'http://localhost:8080': url,
        'admin@example.org': firstAdmin.email,
        'correct-horse': firstAdmin.password,
        'jq -r .access_token)': 'jq -r .access_token | tee token)',
        // What the node of the test has.
        '"labels": ["eu"], "memory": 8192, "disk": 20480, "ports": 2, "template": "paper"': '"memory": 16, "disk": 16',
      },
    )
    match(output, /"expiresAt":/)
    ok(read('/root/console.json').includes('say hello'))
  })

  await steps.step('docs: back up a server with the API', async () => {
    const { id } = JSON.parse(read('/root/server.json')) as { id: string }
    const admin = await Api.signIn(url, firstAdmin)
    const backups = `/proxy/daemon/server/${id}/backup`
    const variables = { $PANEL: url, $SERVER: id, $TOKEN: read('/root/token').trim(), $BACKUPS: `${url}${backups}` }
    const allJobsEnded = async () => {
      const jobs = (await admin.get(`${backups}/jobs`)) as { endedAt?: string }[]
      return jobs.every(({ endedAt }) => endedAt !== undefined)
    }
    await admin.put(`/proxy/daemon/server/${id}/file/world?folder=true`)
    await admin.put(`/proxy/daemon/server/${id}/file/world/level.dat`, 'a valley')

    docs.backups.run('From a script', variables)
    await waitUntil('the backup is complete', allJobsEnded)
    const [backup] = (await admin.get(backups)) as { id: string }[]
    docs.backups.run('From a script', variables)
    await waitUntil('the file is restored', allJobsEnded)
    docs.backups.run('From a script', { ...variables, $BACKUP: backup?.id ?? '' })
    await waitUntil('the server is cloned', async () => {
      const { servers } = (await admin.get('/api/servers?name=copy')) as { servers: { id: string }[] }
      const { state } = (await admin.get(`/api/clones/${servers[0]?.id}`)) as { state: string }
      return state === 'done'
    })
    docs.backups.run('From a script', { ...variables, $BACKUP: backup?.id ?? '' })
    docs.api.run('Delete the server', { $PANEL: url, $SERVER: id, $TOKEN: variables.$TOKEN })
  })

  await steps.step('docs: install Docker and Podman; the node offers containers with either', async () => {
    const admin = await Api.signIn(url, firstAdmin)
    const containersAreOffered = async () => {
      const { environments } = (await admin.get('/api/nodes/0/features')) as { environments: string[] }
      return environments.includes('docker')
    }
    // The machine has no network of its own.
    const settings = { ...documentedJson('docs/docker.md'), bridge: 'none', iptables: false, ip6tables: false }
    mkdirSync(machine.path('/etc/docker'))
    writeFileSync(machine.path('/etc/docker/daemon.json'), JSON.stringify(settings))

    match(docs.docker.run('Install Docker'), /^Server:$/m)
    await waitUntil('the node offers Docker', containersAreOffered)
    machine.run(['systemctl', 'disable', '--now', 'docker.socket', 'docker', 'containerd'])
    await waitUntil('the node offers it no longer', async () => !(await containersAreOffered()))

    docs.docker.run('Podman')
    machine.run(['systemctl', 'restart', 'innkeeper'])
    await waitUntil('the panel is ready', isReady)
    await waitUntil('the node offers Podman', containersAreOffered)
    machine.run(['systemctl', 'disable', '--now', 'podman.socket', 'podman'])
  })

  await steps.step('docs: back up Innkeeper, and restore everything', async () => {
    docs.backup.run('Make a backup')
    writeFileSync(machine.path('/etc/innkeeper/passphrase'), 'a valley in winter\n')
    docs.backup.run('Make a backup', { 'innkeeper.backup': 'encrypted.backup' })
    docs.backup.run('Files of servers')
    await waitUntil('the panel is ready', isReady)
    docs.backup.run('Check a backup')
    machine.run(['systemctl', 'kill', '--kill-whom=main', '--signal=SIGINT', 'innkeeper'])
    await waitUntil(
      'the service has ended',
      () => machine.try(['systemctl', 'is-active', '--quiet', 'innkeeper']).code !== 0,
    )
    machine.run(['rm', '-r', '/var/lib/innkeeper'])
    docs.backup.run('Restore')
    docs.backup.run('Restore', { 'innkeeper restore': 'innkeeper restore --yes' })
    machine.run(['systemctl', 'start', 'innkeeper'])
    await waitUntil('the panel is ready', isReady)
    await Api.signIn(url, firstAdmin)
    machine.run(['rm', '/etc/innkeeper/passphrase'])
  })

  await steps.step('docs: nginx on the same machine', async () => {
    docs.reverseProxy.run('A proxy on the same machine')
    const settings = { ...(JSON.parse(read('/etc/innkeeper/config.json')) as object), port }
    writeFileSync(
      machine.path('/etc/innkeeper/config.json'),
      JSON.stringify({ ...settings, ...documentedJson('docs/reverse-proxy.md') }),
    )
    machine.run(['systemctl', 'restart', 'innkeeper'])
    writeFileSync(machine.path('/etc/nginx/sites-available/innkeeper'), documentedNginxSite())
    appendFileSync(machine.path('/etc/hosts'), '127.0.0.1 panel.example.org\n')
    const names = ['-subj', '/CN=panel.example.org', '-addext', 'subjectAltName=DNS:panel.example.org']
    const files = ['-keyout', '/etc/ssl/panel.key', '-out', '/etc/ssl/panel.pem']
    machine.run(['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-noenc', ...names, ...files])
    await waitUntil('the panel is ready', isReady)
    docs.reverseProxy.run('nginx')
    match(docs.reverseProxy.run('Check it', { 'curl -i': 'curl -i --cacert /etc/ssl/panel.pem' }), /^HTTP\/1\.1 200/m)
  })

  await steps.step('docs: two nodes join through the proxy', async () => {
    const admin = await Api.signIn(url, firstAdmin)
    const ids: number[] = []
    for (const number of [1, 2]) {
      const ports = { publicPort: 5656 + 10 * number, privatePort: 5656 + 10 * number, sftpPort: 5657 + 10 * number }
      const place = { name: `Node ${number}`, publicHost: 'node.example.org', privateHost: '127.0.0.1', ...ports }
      const node = (await admin.post('/api/nodes', place)) as { id: number }
      const { config } = (await admin.get(`/api/nodes/${node.id}/deployment`)) as { config: string }
      const ownFolder = { ...(JSON.parse(config) as object), dataDir: `/var/lib/innkeeper-node-${number}` }
      writeFileSync(machine.path(`/root/node-${number}.json`), JSON.stringify(ownFolder))
      ids.push(node.id)
      startNode(machine, number)
      await waitUntil(`node ${number} is online`, async () => {
        const nodes = (await admin.get('/api/nodes')) as Node[]
        return nodes.some(({ id, health }) => id === node.id && health?.state === 'online')
      })
    }
    const server = await GameServer.install(admin, 'On a node', 'standard', ids[1])
    await server.start()
    await server.sendAndExpectEcho('over the proxy')
    await server.stop()
    for (const number of [1, 2]) machine.run(['systemctl', 'stop', `innkeeper-node-${number}`])
  })
}

/** Starts a node beside the service, with the certificate of the proxy as documented in `docs/troubleshooting.md`. */
function startNode(machine: Machine, number: number): void {
  const settings = { INNKEEPER_CONFIG: `/root/node-${number}.json`, NODE_EXTRA_CA_CERTS: '/etc/ssl/panel.pem' }
  const variables = Object.entries(settings).map(([name, value]) => `--setenv=${name}=${value}`)
  const unit = [`--unit=innkeeper-node-${number}`, '--property=KillMode=process', '--property=Delegate=yes']
  machine.run(['systemd-run', '--quiet', ...unit, ...variables, 'innkeeper', 'run'])
}

/** The first JSON example of a page. */
function documentedJson(page: string): object {
  return JSON.parse(/```json\n(.*?)```/s.exec(readFileSync(join(root, page), 'utf8'))?.[1] ?? '') as object
}

/** The nginx configuration of `docs/reverse-proxy.md`, for a proxy on the same machine. */
function documentedNginxSite(): string {
  const [, section = ''] = readFileSync(join(root, 'docs/reverse-proxy.md'), 'utf8').split('\n## nginx\n')
  return section
    .slice(0, section.indexOf('```sh'))
    .split('\n')
    .flatMap((line) => (line.startsWith('    ') ? [line.slice(4)] : []))
    .join('\n')
}
