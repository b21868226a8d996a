import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { limits } from '@innkeeper/contract/limits'
import { addSshKey, listSshKeys, removeSshKey } from '@innkeeper/contract/ssh-keys'
import { describe, expect, test as pure } from 'vitest'
import { password, type TestPanel, test } from '../testing/test-panel.ts'
import { parsePublicKey } from './public-key.ts'

/** A key made by OpenSSH: its line, and its fingerprint as OpenSSH prints it. */
function keyIn(testPanel: TestPanel, name: string, ...type: readonly string[]): { line: string; fingerprint: string } {
  const path = join(testPanel.folder, name)
  execFileSync('ssh-keygen', ['-q', '-N', '', '-C', `${name}@desk`, '-t', ...type, '-f', path])
  const fingerprint =
    execFileSync('ssh-keygen', ['-l', '-f', `${path}.pub`])
      .toString()
      .split(' ')[1] ?? ''
  return { line: readFileSync(`${path}.pub`, 'utf8'), fingerprint }
}

describe('a public key', () => {
  test.for([
    ['ssh-ed25519', ['ed25519']],
    ['ecdsa-sha2-nistp256', ['ecdsa', '-b', '256']],
    ['ecdsa-sha2-nistp521', ['ecdsa', '-b', '521']],
    ['ssh-rsa', ['rsa', '-b', '2048']],
  ] as const)('of %s is added, listed and removed', async ([algorithm, type], { testPanel }) => {
    const person = await testPanel.createUser()
    const { line, fingerprint } = keyIn(testPanel, 'laptop', ...type)

    const { answer: added } = await testPanel.send(addSshKey, { body: { key: line, password } }, person)
    const { answer: listed } = await testPanel.send(listSshKeys, {}, person)

    expect(added).toMatchObject({ name: 'laptop@desk', algorithm, fingerprint })
    expect(listed).toEqual([added])
    expect((await testPanel.send(removeSshKey, { params: { id: added.id } }, person)).status).toBe(204)
    expect((await testPanel.send(listSshKeys, {}, person)).answer).toEqual([])
  })

  test('is added only with the password, whose tries are counted', async ({ testPanel }) => {
    const person = await testPanel.createUser()
    const { line: key } = keyIn(testPanel, 'laptop', 'ed25519')

    const refusals = []
    for (let at = 0; at <= limits.loginAttempts; at++) {
      refusals.push((await testPanel.send(addSshKey, { body: { key, password: 'wrong' } }, person)).refusal)
    }

    expect(refusals).toEqual([...Array(limits.loginAttempts).fill('ErrInvalidCredentials'), 'ErrTooManyRequests'])
    expect((await testPanel.send(listSshKeys, {}, person)).answer).toEqual([])
  })

  test('belongs to one person only', async ({ testPanel }) => {
    const [person, other] = [await testPanel.createUser(), await testPanel.createUser()]
    const { line: key } = keyIn(testPanel, 'laptop', 'ed25519')
    const { answer } = await testPanel.send(addSshKey, { body: { key, password } }, person)

    expect((await testPanel.send(addSshKey, { body: { key, password } }, other)).refusal).toBe('ErrDuplicateSshKey')
    expect((await testPanel.send(addSshKey, { body: { key, password } }, person)).refusal).toBe('ErrDuplicateSshKey')
    expect((await testPanel.send(removeSshKey, { params: { id: answer.id } }, other)).refusal).toBe('ErrNotFound')
    expect((await testPanel.send(listSshKeys, {}, other)).answer).toEqual([])
    expect((await testPanel.send(listSshKeys, {}, person)).answer).toHaveLength(1)
  })

  test('is one of a bounded number', async ({ testPanel }) => {
    const person = await testPanel.createUser()
    const { line: key } = keyIn(testPanel, 'laptop', 'ed25519')
    const row = {
      user_id: person.id,
      name: 'x',
      algorithm: 'ssh-ed25519',
      public_key: '',
      created_at: 0,
      used_at: null,
    }
    const rows = Array.from({ length: limits.sshKeysPerPerson }, (_, at) => ({
      ...row,
      id: `${at}`,
      fingerprint: `${at}`,
    }))
    await testPanel.db.insertInto('ssh_keys').values(rows).execute()

    const { refusal } = await testPanel.send(addSshKey, { body: { key, password } }, person)

    expect(refusal).toBe('ErrTooMany')
  })

  test('that is weak, private, or none is refused', async ({ testPanel }) => {
    const person = await testPanel.createUser()
    const weak = keyIn(testPanel, 'weak', 'rsa', '-b', '1024').line
    const { line } = keyIn(testPanel, 'good', 'ed25519')
    const hidden = readFileSync(join(testPanel.folder, 'good'), 'utf8')

    for (const key of [weak, hidden, 'x', 'ssh-ed25519', line.replace('ssh-ed25519', 'ssh-rsa'), 'ssh-dss AAAA']) {
      expect((await testPanel.send(addSshKey, { body: { key, password } }, person)).refusal, key).toBe(
        'ErrSshKeyInvalid',
      )
    }
  })
})

const wire = (...parts: readonly Buffer[]): string =>
  Buffer.concat(parts.flatMap((part) => [Buffer.from([0, 0, part.length >> 8, part.length & 255]), part])).toString(
    'base64',
  )
const text = (value: string) => Buffer.from(value)

pure.each([
  ['a short key', `ssh-ed25519 ${wire(text('ssh-ed25519'), Buffer.alloc(31))}`],
  ['something behind it', `ssh-ed25519 ${wire(text('ssh-ed25519'), Buffer.alloc(32, 7), text('x'))}`],
  ['another algorithm inside', `ssh-ed25519 ${wire(text('ssh-rsa'), Buffer.alloc(32, 7))}`],
  [
    'a point that is on no curve',
    `ecdsa-sha2-nistp256 ${wire(text('ecdsa-sha2-nistp256'), text('nistp256'), Buffer.from([4, ...Array(64).fill(1)]))}`,
  ],
  ['a length beyond the end', `ssh-ed25519 ${Buffer.from([255, 255, 255, 255]).toString('base64')}`],
  ['letters that are no base64', 'ssh-ed25519 AAAA!!!!'],
  ['a name of objects', '__proto__ AAAA'],
])('bytes with %s are no key', (_, line) => {
  expect(parsePublicKey(line)).toBeUndefined()
})
