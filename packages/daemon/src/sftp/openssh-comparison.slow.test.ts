import { createHash } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ssh2 from 'ssh2'
import { test as base, describe, expect } from 'vitest'
import { OpenSshServer } from '../testing/openssh-server.ts'
import { run, SftpHost, theServer, toPromise, toVoidPromise } from '../testing/sftp-host.ts'

/** A command for a client: an action with its arguments. */
type Step = readonly [action: string, first: string, second?: string]
type Outcome = readonly ['ok' | 'fails', unknown?]

const long = 'x'.repeat(100_000)

/** Everything whose result differed between servers, for some client, and what people do every day. */
const script: readonly Step[] = [
  ['mkdir', 'd'],
  ['mkdir', 'd'],
  ['mkdir', 'missing/d'],
  ['put', 'a.txt', 'one'],
  ['put', 'a.txt', 'two'],
  ['get', 'a.txt'],
  ['put', 'a.txt', long],
  ['put', 'a.txt', 'short'],
  ['get', 'a.txt'],
  ['rewrite', 'a.txt', 'rewritten'],
  ['get', 'a.txt'],
  ['rewrite', 'a.txt', ''],
  ['rewrite', 'a.txt', 'again'],
  ['rewrite', 'missing.txt', 'x'],
  ['create', 'a.txt', 'x'],
  ['create', 'created.txt', 'created'],
  ['append', 'a.txt', ', and more'],
  ['patch', 'a.txt', 'AI'],
  ['patch', 'missing.txt', 'x'],
  ['get', 'a.txt'],
  ['get', 'missing.txt'],
  ['put', 'd', 'x'],
  ['put', 'd/in.txt', 'in'],
  ['put', 'd/with a blank.txt', 'blank'],
  ['put', 'größe – 世界.txt', 'ü'],
  ['put', '-rf', 'dash'],
  ['putScript', 'start.sh', '#!/bin/sh'],
  ['list', 'd'],
  ['rmdir', 'd'],
  ['rm', 'd'],
  ['rm', 'missing.txt'],
  ['rmdir', 'missing'],
  ['rmdir', 'a.txt'],
  ['get', 'd/in.txt'],
  ['mkdir', 'p'],
  ['mkdir', 'p/q'],
  ['put', 'p/kept.txt', 'kept'],
  ['rmdir', 'p/q'],
  ['rmdir', 'p'],
  ['rename', 'created.txt', 'renamed.txt'],
  ['rename', 'missing.txt', 'any.txt'],
  ['rename', 'd', 'e'],
  ['list', 'e'],
  ['put', 'new.txt', 'new'],
  ['replace', 'new.txt', 'renamed.txt'],
  ['get', 'renamed.txt'],
  ['replace', 'renamed.txt', 'p'],
  ['symlink', 'a.txt', 'link'],
  ['symlink', 'a.txt', 'link'],
  ['readlink', 'link'],
  ['readlink', 'a.txt'],
  ['lstatSize', 'link'],
  ['get', 'link'],
  ['symlink', '../a.txt', 'e/up'],
  ['get', 'e/up'],
  ['symlink', 'nowhere', 'dangling'],
  ['readlink', 'dangling'],
  ['get', 'dangling'],
  ['put', 'link', 'through the link'],
  ['rm', 'link'],
  ['chmod', 'a.txt', '600'],
  ['chmod', 'missing.txt', '600'],
  ['utime', 'a.txt', '1500000000'],
  ['put', 'long.txt', long],
  ['truncate', 'long.txt', '10'],
  ['truncate', 'long.txt', '20'],
  ['truncate', 'renamed.txt', '0'],
  ['put', 'tab\tname', 'tab'],
  ['rm', 'tab\tname'],
]

interface Server {
  readonly port: number
  readonly user: string
  inside(...names: readonly string[]): string
}

interface Runner {
  readonly own: (...names: readonly string[]) => string
  readonly key: string
  readonly run: (
    program: string,
    args: readonly string[],
    input?: string,
  ) => Promise<{ readonly code: number | null; readonly out: string }>
}

type Client = (server: Server, runner: Runner) => Promise<readonly (readonly [Step, Outcome])[]>
const program = (name: string) => new URL(`../testing/programs/${name}`, import.meta.url).pathname
const insecure = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'LogLevel=ERROR', 'BatchMode=yes']
const sshOptions = (key: string) =>
  [...insecure, `IdentityFile=${key}`, 'IdentitiesOnly=yes'].flatMap((option) => ['-o', option])
const quote = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`
const paired = (steps: readonly Step[], outcomes: readonly Outcome[]) =>
  steps.map((step, at) => [step, outcomes[at] ?? (['fails', 'no outcome'] as const)] as const)

/** Runs the script in a program that reads and prints JSON. */
async function inProgram(runner: Runner, name: string, args: readonly string[]): ReturnType<Client> {
  const { out } = await runner.run('/usr/bin/python3', ['-W', 'ignore', program(name), ...args], JSON.stringify(script))
  const lines = out.split('\n').filter((line) => line.startsWith('["'))
  expect(lines.length, out).toBe(script.length)
  return paired(
    script,
    lines.map((line) => JSON.parse(line) as Outcome),
  )
}

/** Runs `use` while a server is mounted. */
async function mounted<T>({ port, user }: Server, runner: Runner, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = runner.own('mounted')
  mkdirSync(folder, { recursive: true })
  const options = [...sshOptions(runner.key), '-o', `port=${port}`]
  const mounting = await runner.run('sshfs', [`${user}@127.0.0.1:`, folder, ...options])
  expect(mounting.code, `${mounting.out} (sshfs needs /dev/fuse)`).toBe(0)
  try {
    return await use(folder)
  } finally {
    await runner.run('fusermount3', ['-u', folder])
  }
}

/** Writes the second argument of a step to a file, for clients that upload files. */
function localFile({ own }: Runner, text: string, mode = 0o644): string {
  const path = own('local')
  rmSync(path, { force: true })
  writeFileSync(path, text, { mode })
  return path
}

/** Runs each step that `command` knows in a process of its own; its exit code is the outcome. */
async function eachInProcess(
  runner: Runner,
  command: (step: Step) => readonly [string, ...string[]] | undefined,
): ReturnType<Client> {
  const results: (readonly [Step, Outcome])[] = []
  for (const step of script) {
    const [program, ...args] = command(step) ?? []
    if (program === undefined) continue
    rmSync(runner.own('down'), { force: true })
    const { code, out } = await runner.run(program, args)
    const isRead = step[0] === 'get' && existsSync(runner.own('down'))
    results.push([
      step,
      [code === 0 ? 'ok' : 'fails', code === 0 && isRead ? readFileSync(runner.own('down'), 'utf8') : undefined],
    ])
    if (code !== 0 && /usage|unknown option|invalid option/i.test(out)) throw new Error(out)
  }
  return results
}

/** Runs all steps that `command` knows in one session; `failed` finds errors in the output of each. */
async function inOneSession(
  runner: Runner,
  {
    command,
    run,
    failed,
  }: {
    readonly command: (step: Step, at: number) => string | undefined
    readonly run: (file: string) => Promise<{ readonly out: string }>
    readonly failed: RegExp
  },
): ReturnType<Client> {
  const steps = script.flatMap((step, at) => {
    const line = command(step, at)
    return line === undefined ? [] : [{ step, at, line }]
  })
  const lines = steps.flatMap(({ at, line }) => [`!echo "@@${at}@" >&2`, line])
  writeFileSync(runner.own('commands'), `${lines.join('\n')}\n!echo "@@end@" >&2\n`)
  const { out } = await run(runner.own('commands'))
  expect(out).toContain('@@end@')
  const parts = new Map(
    out.split('@@').map((part) => [Number(part.split('@', 1)[0]), part.slice(part.indexOf('\n') + 1)] as const),
  )
  return steps.map(({ step, at }) => {
    const down = runner.own(`down-${at}`)
    const content = existsSync(down) ? readFileSync(down, 'utf8') : undefined
    return [step, [failed.test(parts.get(at) ?? '') ? 'fails' : 'ok', content]]
  })
}

const clients: Readonly<Record<string, Client>> = {
  sshfs: (server, runner) => mounted(server, runner, (folder) => inProgram(runner, 'sftp-mounted.py', [folder])),

  paramiko: ({ port, user }, runner) => inProgram(runner, 'sftp-paramiko.py', [String(port), user, runner.key]),

  asyncssh: ({ port, user }, runner) => inProgram(runner, 'sftp-asyncssh.py', [String(port), user, runner.key]),

  async ssh2({ port, user }, { key }) {
    const client = new ssh2.Client()
    await new Promise<void>((resolve, reject) => {
      client.once('ready', resolve).once('error', reject)
      client.connect({ host: '127.0.0.1', port, username: user, privateKey: readFileSync(key) })
    })
    const sftp = await toPromise<ssh2.SFTPWrapper>((done) => client.sftp(done))
    const open = async (path: string, flags: number, use: (handle: Buffer) => Promise<void>) => {
      const handle = await toPromise<Buffer>((done) => sftp.open(path, flags, done))
      await use(handle)
      await toVoidPromise((done) => sftp.close(handle, done))
    }
    const write = (path: string, flags: number, text: string, offset = 0) =>
      open(path, flags, (handle) =>
        toVoidPromise((done) =>
          text === '' ? done() : sftp.write(handle, Buffer.from(text), 0, Buffer.byteLength(text), offset, done),
        ),
      )
    const actions: Record<string, (first: string, second: string) => Promise<unknown>> = {
      mkdir: (path) => toVoidPromise((done) => sftp.mkdir(path, done)),
      rmdir: (path) => toVoidPromise((done) => sftp.rmdir(path, done)),
      put: (path, text) => write(path, 0x1a, text),
      rewrite: (path, text) => write(path, 0x12, text),
      create: (path, text) => write(path, 0x2a, text),
      append: (path, text) => write(path, 0x0e, text),
      patch: (path, text) => write(path, 0x02, text, 2),
      get: async (path) => String(await toPromise((done) => sftp.readFile(path, done))),
      rm: (path) => toVoidPromise((done) => sftp.unlink(path, done)),
      rename: (from, to) => toVoidPromise((done) => sftp.rename(from, to, done)),
      replace: (from, to) => toVoidPromise((done) => sftp.ext_openssh_rename(from, to, done)),
      symlink: (target, path) => toVoidPromise((done) => sftp.symlink(target, path, done)),
      readlink: (path) => toPromise((done) => sftp.readlink(path, done)),
      lstatSize: async (path) => (await toPromise<ssh2.Stats>((done) => sftp.lstat(path, done))).size,
      chmod: (path, mode) => toVoidPromise((done) => sftp.chmod(path, mode, done)),
      utime: (path, time) => toVoidPromise((done) => sftp.utimes(path, Number(time), Number(time), done)),
      truncate: (path, size) =>
        toVoidPromise((done) => sftp.setstat(path, { size: Number(size) } as ssh2.InputAttributes, done)),
      list: async (path) =>
        (await toPromise<ssh2.FileEntryWithStats[]>((done) => sftp.readdir(path, done)))
          .map(({ filename }) => filename)
          .toSorted(),
    }
    const results: (readonly [Step, Outcome])[] = []
    for (const step of script) {
      const [name, first, second = ''] = step
      const acting = actions[name]?.(first, second)
      if (acting)
        results.push([
          step,
          await acting.then(
            (value) => ['ok', value] as const,
            () => ['fails'] as const,
          ),
        ])
    }
    client.end()
    return results
  },

  sftp: ({ port, user }, runner) =>
    inOneSession(runner, {
      failed: /./,
      command: (step, at) => {
        const [name, first, second = ''] = step
        const path = quote(first.startsWith('-') ? `./${first}` : first)
        if (name === 'put' || name === 'putScript') {
          const local = runner.own(`up-${at}`)
          writeFileSync(local, second, { mode: name === 'put' ? 0o644 : 0o755 })
          return `-put ${local} ${path}`
        }
        if (name === 'get') return `-get ${path} ${runner.own(`down-${at}`)}`
        const known = { mkdir: 'mkdir', rmdir: 'rmdir', rm: 'rm' }[name]
        if (known) return `-${known} ${path}`
        if (name === 'rename' || name === 'replace') return `-rename ${path} ${quote(second)}`
        if (name === 'symlink') return `-ln -s ${path} ${quote(second)}`
        return name === 'chmod' ? `-chmod ${second} ${path}` : undefined
      },
      run: async (file) => {
        const options = [...sshOptions(runner.key), '-q', '-P', String(port), '-o', `User=${user}`]
        // Only errors and marks are on standard error.
        return await runner.run('sh', ['-c', '"$@" > /dev/null', 'sh', 'sftp', ...options, '-b', file, '127.0.0.1'])
      },
    }),

  psftp: async ({ port, user }, runner) => {
    await runner.run('puttygen', [runner.key, '-O', 'private', '-o', runner.own('key.ppk')])
    const keys = await runner.run('sh', ['-c', `ssh-keyscan -p ${port} 127.0.0.1 2>/dev/null | ssh-keygen -lf -`])
    const fingerprints = keys.out.match(/SHA256:\S+/g) ?? []
    return await inOneSession(runner, {
      failed: /failure|no such file|denied|unable|already exists|not a |error|cannot/i,
      command: (step, at) => {
        const [name, first, second = ''] = step
        // It has no quoting for these.
        if (/[\t"]/.test(first)) return undefined
        if (name === 'put') {
          writeFileSync(runner.own(`up-${at}`), second)
          return `put ${runner.own(`up-${at}`)} ${quote(first)}`
        }
        if (name === 'get') return `get ${quote(first)} ${runner.own(`down-${at}`)}`
        const known = { mkdir: 'mkdir', rmdir: 'rmdir', rm: 'del' }[name]
        if (known) return `${known} ${quote(first)}`
        if (name === 'rename') return `mv ${quote(first)} ${quote(second)}`
        return name === 'chmod' ? `chmod ${second} ${quote(first)}` : undefined
      },
      run: async (file) => {
        const hostKeys = fingerprints.flatMap((key) => ['-hostkey', key])
        const args = ['-batch', '-i', runner.own('key.ppk'), '-P', String(port), ...hostKeys, '-be', '-b', file]
        return await runner.run('sh', ['-c', 'stdbuf -o0 "$@" 2>&1', 'sh', 'psftp', ...args, '-l', user, '127.0.0.1'])
      },
    })
  },

  lftp: async ({ port, user }, runner) => {
    const connect = `ssh -a -x ${sshOptions(runner.key).join(' ')} -p ${port} -l ${user}`
    const steps = script.flatMap((step, at) => {
      const [name, first, second = ''] = step
      const path = quote(first.startsWith('-') ? `./${first}` : first)
      const to = quote(second)
      const put = () => {
        writeFileSync(runner.own(`up-${at}`), second)
        return `put ${runner.own(`up-${at}`)} -o ${path}`
      }
      const lines: Record<string, () => string> = {
        put,
        get: () => `get ${path} -o ${runner.own(`down-${at}`)}`,
        mkdir: () => `mkdir ${path}`,
        rmdir: () => `rmdir ${path}`,
        rm: () => `rm ${path}`,
        rename: () => `mv ${path} ${to}`,
        symlink: () => `ln -s ${path} ${to}`,
        chmod: () => `chmod ${second} ${path}`,
      }
      const line = lines[name]?.()
      return line === undefined ? [] : [{ step, at, line }]
    })
    const settings = [
      'set net:max-retries 1',
      'set xfer:clobber yes',
      `set sftp:connect-program "${connect}"`,
      'open sftp://any:any@127.0.0.1',
    ]
    const lines = steps.map(({ at, line }) => `${line} && echo "@@${at} ok" || echo "@@${at} fails"`)
    writeFileSync(runner.own('commands'), `${[...settings, ...lines].join('\n')}\n`)
    const { out } = await runner.run('lftp', ['-f', runner.own('commands')])
    return steps.map(({ step, at }) => {
      const down = runner.own(`down-${at}`)
      const isRight = out.includes(`@@${at} ok`)
      expect(isRight || out.includes(`@@${at} fails`), out).toBe(true)
      return [step, [isRight ? 'ok' : 'fails', isRight && existsSync(down) ? readFileSync(down, 'utf8') : undefined]]
    })
  },

  scp: ({ port, user }, runner) =>
    eachInProcess(runner, ([name, path, text = '']) => {
      const common = ['scp', ...sshOptions(runner.key), '-q', '-P', String(port), '-o', `User=${user}`] as const
      const remote = `127.0.0.1:${path.startsWith('-') ? './' : ''}${path}`
      // It cannot create folders, and this server creates those of a file.
      if (path.includes('/')) return undefined
      if (name === 'put') return [...common, localFile(runner, text), remote]
      if (name === 'putScript') return [...common, '-p', localFile(runner, text, 0o755), remote]
      return name === 'get' ? [...common, remote, runner.own('down')] : undefined
    }),

  curl: ({ port, user }, runner) => {
    const common = ['curl', '-sS', '-k', '--key', runner.key, '--pubkey', `${runner.key}.pub`] as const
    const url = (path: string) =>
      `sftp://${encodeURIComponent(user)}@127.0.0.1:${port}/~/${path.split('/').map(encodeURIComponent).join('/')}`
    return eachInProcess(runner, ([name, path, second = '']) => {
      const quoted = (command: string) => [...common, '-o', runner.own('ignored'), '-Q', command, url('')] as const
      if (name === 'put') return [...common, '-T', localFile(runner, second), url(path)]
      if (name === 'append') return [...common, '-a', '-T', localFile(runner, second), url(path)]
      if (name === 'get') return [...common, '-o', runner.own('down'), '-f', url(path)]
      // It knows no quoting for these.
      if (/[\t"]|^-/.test(path)) return undefined
      if (name === 'mkdir' || name === 'rmdir' || name === 'rm') return quoted(`${name} ${quote(path)}`)
      if (name === 'rename') return quoted(`rename ${quote(path)} ${quote(second)}`)
      if (name === 'symlink') return quoted(`symlink ${quote(path)} ${quote(second)}`)
      return name === 'chmod' ? quoted(`chmod ${second} ${quote(path)}`) : undefined
    })
  },

  rclone: ({ port, user }, runner) => {
    const remote = [
      '--sftp-host',
      '127.0.0.1',
      '--sftp-port',
      String(port),
      '--sftp-user',
      user,
      '--sftp-key-file',
      runner.key,
    ]
    const rest = ['--retries', '1', '--low-level-retries', '1', '--sftp-disable-hashcheck', '--config', '/dev/null']
    return eachInProcess(runner, ([name, path, second = '']) => {
      const at = `:sftp:${path}`
      const command = (...args: string[]) => ['rclone', ...args, ...remote, ...rest] as const
      // Without that option it skips a file of the same size that was written in the same second.
      // Its errors for missing files and folders do not come from the server.
      if (name === 'put') return command('copyto', '--ignore-times', localFile(runner, second), at)
      if (name === 'get') return command('copyto', at, runner.own('down'))
      if (name === 'rmdir') return command('rmdir', at)
      if (name === 'rm') return command('deletefile', at)
      return name === 'rename' ? command('moveto', at, `:sftp:${second}`) : undefined
    })
  },
}

/** What git does relies on folders that are not removed while they have contents, and on replacing renames. */
const gitCommands = [
  'git init -q -b main .',
  'mkdir -p d1 d2 && echo 1 > d1/f1 && for i in 1 2 3; do echo $i > d2/f$i; done && echo text > top',
  'git add -A && git commit -q -m first',
  'git branch feature/a && git branch feature/b && git branch -q -D feature/a && git branch --list',
  'git rm -q d2/f2 && ls d2',
  'git mv d1/f1 d1/moved && git commit -q -m second',
  'echo changed > top && echo untracked > new && git stash -q -u && ls && git stash pop -q && git status --short',
  'git checkout -q feature/b && ls d2 && git checkout -q main',
  'git commit -q -a -m third && git tag v1 && git gc -q && git fsck --strict',
  'git clone -q --no-hardlinks . copy && cd copy && git log --format=%s',
  'rm -r copy && git rm -q -r d2 && ls && rmdir .git',
]

async function gitIn(server: Server, runner: Runner): Promise<readonly Outcome[]> {
  const identity = ['AUTHOR', 'COMMITTER'].flatMap((role) => [
    `GIT_${role}_NAME=test GIT_${role}_EMAIL=test@example.org GIT_${role}_DATE=2020-01-01T00:00:00Z`,
  ])
  return await mounted(server, runner, async (folder) => {
    const outcomes: Outcome[] = []
    for (const command of gitCommands) {
      const { code, out } = await runner.run('sh', [
        '-c',
        `cd '${folder}' && export ${identity.join(' ')} && ${command}`,
      ])
      outcomes.push([code === 0 ? 'ok' : 'fails', out.replaceAll(folder, '')])
    }
    return outcomes
  })
}

/** Names, kinds, modes, contents and link targets below a directory. */
function treeIn(folder: string): Record<string, string> {
  const tree: Record<string, string> = {}
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()) {
    const path = join(folder, name)
    const stats = lstatSync(path)
    const mode = (stats.mode & 0o777).toString(8)
    if (stats.isSymbolicLink()) tree[name] = `-> ${readlinkSync(path)}`
    else if (stats.isDirectory()) tree[name] = `folder ${mode}`
    else
      tree[name] =
        `${mode} ${createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 12)} ${readFileSync(path, 'utf8').slice(0, 20)}`
  }
  return tree
}

interface Fixtures {
  readonly openSsh: OpenSshServer
  readonly innkeeper: Server
  readonly runner: Runner
}

const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  runner: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'innkeeper-clients-'))
    const env = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', HOME: folder, LC_ALL: 'C.UTF-8' }
    const runIn: Runner['run'] = (file, args, input) => run(file, args, { env }, input)
    const made = await runIn('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'key')])
    expect(made.code, made.out).toBe(0)
    await use({ own: (...names) => join(folder, ...names), key: join(folder, 'key'), run: runIn })
    await rm(folder, { recursive: true, force: true })
  },
  openSsh: async ({ runner }, use) => {
    await using server = await OpenSshServer.start(readFileSync(`${runner.key}.pub`, 'utf8').trim())
    await use(server)
  },
  innkeeper: async ({ runner }, use) => {
    await using host = await SftpHost.start()
    const keys = [readFileSync(`${runner.key}.pub`, 'utf8').split(' ')[1] ?? '']
    const { email } = host.panel.addUser({ keys, permissions: { [theServer]: ['sftpServer', 'putServerFiles'] } })
    await use({ port: host.port, user: `${email}#${theServer}`, inside: (...names) => host.inside(...names) })
  },
})

/** Some clients need a process and a connection for each step. */
const timeoutMs = 300_000

describe('the same script has the same results as on OpenSSH', { timeout: timeoutMs }, () => {
  test.for(Object.keys(clients))('with %s', async (name, { openSsh, innkeeper, runner }) => {
    const client = clients[name] as Client

    const expected = await client(openSsh, runner)
    for (const left of readdirSync(runner.own('.'))) if (/^(up|down|local)/.test(left)) rmSync(runner.own(left))
    const actual = await client(innkeeper, runner)

    expect(actual).toEqual(expected)
    expect(treeIn(innkeeper.inside())).toEqual(treeIn(openSsh.inside()))
    expect(actual.length).toBeGreaterThan(5)
    expect(new Set(expected.map(([, [outcome]]) => outcome))).toEqual(new Set(['ok', 'fails']))
  })

  test('with git in a mount of sshfs', async ({ openSsh, innkeeper, runner }) => {
    const expected = await gitIn(openSsh, runner)
    const actual = await gitIn(innkeeper, runner)

    expect(actual).toEqual(expected)
    expect(actual.map(([outcome]) => outcome)).toEqual(
      gitCommands.map((_, at) => (at < gitCommands.length - 1 ? 'ok' : 'fails')),
    )
    const { '.git': _, ...files } = treeIn(innkeeper.inside())
    expect(Object.keys(files)).toContain('top')
    expect(Object.keys(files).filter((name) => !name.startsWith('.git'))).toEqual(['d1', 'd1/moved', 'new', 'top'])
  })
})
