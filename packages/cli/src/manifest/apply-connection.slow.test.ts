import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listSessions } from '@innkeeper/contract/accounts/account'
import { listTemplates } from '@innkeeper/contract/templates/templates'
import { expect, test } from 'vitest'
import { freePort } from '../testing/free-port.ts'
import { InnkeeperProcess } from '../testing/innkeeper-process.ts'
import { runCommand } from '../testing/run-command.ts'
import { selfSignedCertificate } from '../testing/self-signed.ts'
import { getEnvironment, TestInstallation } from '../testing/test-installation.ts'

const timeout = 60_000
const count = 60
const names = Array.from({ length: count }, (_, at) => `echo-${String(at).padStart(3, '0')}`)

test('Ctrl+C ends after the change in progress, lists what is done, and the next run continues', {
  timeout,
}, async () => {
  await using installation = await TestInstallation.start()
  const file = join(installation.folder, 'servers.yaml')
  const templates = names.map((name) => `  ${name}: { type: test, run: { command: cat } }`)
  await writeFile(file, ['version: 1', 'templates:', ...templates, ''].join('\n'))
  const applied = async () =>
    (await installation.send(listTemplates, {})).map(({ name }) => name).filter((name) => names.includes(name))

  const { code, err } = await runCommand(['apply', file, '--yes'], installation.env, '', { interruptAt: 'Done: ' })
  const afterwards = await applied()
  const sessions = await installation.send(listSessions, {})
  const again = await runCommand(['apply', file, '--yes'], installation.env)

  expect(code).toBe(130)
  const done = afterwards.toSorted()
  expect(done.length).toBeGreaterThan(0)
  expect(done.length).toBeLessThan(count)
  expect(done).toEqual(names.slice(0, done.length))
  const listed = (some: readonly string[]) => some.map((name) => `  template ${name}`)
  const notDone = names.slice(done.length)
  expect(err.trimEnd().split('\n')).toEqual(['Interrupted.', 'Done:', ...listed(done), 'Not done:', ...listed(notDone)])
  expect(JSON.stringify(sessions)).not.toContain('innkeeper apply')
  expect([again.code, again.err]).toEqual([0, ''])
  expect(again.out).toContain(`${notDone.length} to create, 0 to change, 0 to delete, ${done.length} unchanged.`)
  expect((await applied()).toSorted()).toEqual(names)
})

test('only the self-signed certificate of the configuration is trusted, without further settings', {
  timeout,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'innkeeper-inn-'))
  const [own, other] = [await selfSignedCertificate(folder, 'own'), await selfSignedCertificate(folder, 'other')]
  const file = join(folder, 'servers.yaml')
  await writeFile(file, 'version: 1\ntemplates:\n  plain: { type: test, run: { command: cat } }\n')
  await writeFile(join(folder, 'config.json'), '{}')
  const plain = getEnvironment(folder, await freePort(), await freePort())
  const env = { ...plain, INNKEEPER_TLS_CERT: own.cert, INNKEEPER_TLS_KEY: own.key }
  const program = await InnkeeperProcess.start(env)
  await using _ = {
    [Symbol.asyncDispose]: async () => {
      await program.stop('SIGINT')
      await rm(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }

  const applied = await runCommand(['apply', file, '--yes'], env)
  const exported = await runCommand(['export'], env)
  const untrusted = await runCommand(['export'], {
    ...env,
    INNKEEPER_TLS_CERT: other.cert,
    INNKEEPER_TLS_KEY: other.key,
  })

  expect([applied.code, applied.err]).toEqual([0, ''])
  expect(exported.out).toContain('plain:')
  expect([untrusted.code, untrusted.out]).toEqual([1, ''])
  expect(untrusted.err).toBe(
    `The panel at port ${plain.INNKEEPER_PORT} of this machine does not have the certificate ${other.cert}. Restart Innkeeper after a change of the settings tlsCert and tlsKey.\n`,
  )
})
