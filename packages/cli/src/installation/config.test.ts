import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ConfigError, readConfig } from './config.ts'

function fileWith(content: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'innkeeper-config-')), 'config.json')
  writeFileSync(path, content)
  return path
}

function getMistakes(env: Record<string, string>): string {
  try {
    readConfig(env, '/srv')
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return ''
}

test('without settings all defaults apply', () => {
  const config = readConfig({ INNKEEPER_CONFIG: fileWith('{}') }, '/srv')

  expect(config).toMatchObject({
    role: 'all',
    dataDir: '/srv/data',
    host: '0.0.0.0',
    port: 8080,
    sftpPort: 5657,
    nodePort: 5656,
    databaseUrl: 'sqlite:/srv/data/panel.db',
    logLevel: 'info',
    downloadAllow: [],
    alertAllow: [],
    oidcAllow: [],
    trustProxy: [],
  })
})

test('the environment overrides the file, and the file overrides the defaults', () => {
  const INNKEEPER_CONFIG = fileWith(
    JSON.stringify({ port: 9000, host: '127.0.0.1', upstream: { mojang: 'http://a.test' } }),
  )

  const config = readConfig(
    { INNKEEPER_CONFIG, INNKEEPER_PORT: '9001', INNKEEPER_UPSTREAM_MOJANG: 'http://127.0.0.1:1', PATH: '/bin' },
    '/srv',
  )

  expect([config.port, config.host, config.logLevel]).toEqual([9001, '127.0.0.1', 'info'])
  expect(config.upstream).toEqual({ mojang: 'http://127.0.0.1:1' })
})

test('the retention of backups has a number by rule', () => {
  const keep = (rules: string) =>
    readConfig({ INNKEEPER_CONFIG: fileWith('{}'), INNKEEPER_SERVER_BACKUP_KEEP: rules }, '/srv').serverBackupKeep

  expect(keep('last=3, weekly=4')).toEqual({ last: 3, daily: 0, weekly: 4, monthly: 0, yearly: 0, maxBytes: 0 })
  for (const wrong of [
    '3',
    'last',
    'last=',
    'hourly=3',
    'last=-1',
    'daily=x',
    'last=1=2',
    'last=1e2',
    'last=1001',
    'last=1,last=2',
  ])
    expect(() => keep(wrong), wrong).toThrow(
      /INNKEEPER_SERVER_BACKUP_KEEP: must be a list of rules with a number from 0 to 1000, each rule once,/,
    )
})

test('the retention of backups in the file is text or a list', () => {
  const keep = (rules: unknown) =>
    readConfig({ INNKEEPER_CONFIG: fileWith(JSON.stringify({ serverBackupKeep: rules })) }, '/srv').serverBackupKeep

  expect(keep('last=3')).toEqual(keep(['last=3']))
  for (const wrong of [3, { last: 3 }, [3]])
    expect(() => keep(wrong)).toThrow(/serverBackupKeep: must be a list of rules/)
})

test('the users of servers are from a range', () => {
  const uids = (range: string) => readConfig({ INNKEEPER_CONFIG: fileWith('{}'), INNKEEPER_SERVER_UIDS: range }, '/srv')

  expect(uids('200000-200999').serverUids).toEqual({ first: 200_000, count: 1_000 })
  for (const wrong of ['0-10', '200', '20-10', '1-4294967295', 'a-b']) expect(() => uids(wrong)).toThrow(ConfigError)
})

test('one message lists all errors of file and environment', () => {
  const INNKEEPER_CONFIG = fileWith(JSON.stringify({ colour: 'red', logLevel: 'loud' }))

  const message = getMistakes({
    INNKEEPER_CONFIG,
    INNKEEPER_PORT: '80800',
    INNKEEPER_PROT: '80',
    INNKEEPER_MASTER_URL: 'ftp://x',
    INNKEEPER_DOWNLOAD_ALLOW: 'localhost',
    INNKEEPER_ADMIN_EMAIL: 'a@b.co',
    INNKEEPER_UPSTREAM_STEAM: 'nowhere',
    INNKEEPER_UPSTREAM_STEEM: 'https://example.org',
  })

  for (const word of ['colour', 'logLevel', 'INNKEEPER_PORT', 'INNKEEPER_PROT', 'INNKEEPER_MASTER_URL']) {
    expect(message).toContain(word)
  }
  for (const word of ['INNKEEPER_DOWNLOAD_ALLOW', 'INNKEEPER_UPSTREAM_STEAM', 'INNKEEPER_ADMIN_PASSWORD'])
    expect(message).toContain(word)
  expect(message).toContain('INNKEEPER_UPSTREAM_STEEM: there is no such service; there are mojang,')
})

test('an address that downloads may come from is none that alerts may be sent to', () => {
  const INNKEEPER_CONFIG = fileWith('{}')
  const INNKEEPER_DOWNLOAD_ALLOW = '127.0.0.1:9000'

  expect(readConfig({ INNKEEPER_CONFIG, INNKEEPER_DOWNLOAD_ALLOW }, '/srv')).toMatchObject({
    downloadAllow: [INNKEEPER_DOWNLOAD_ALLOW],
    alertAllow: [],
    oidcAllow: [],
  })
})

test('settings that belong together are required together', () => {
  const INNKEEPER_CONFIG = fileWith('{}')

  expect(getMistakes({ INNKEEPER_CONFIG, INNKEEPER_ADMIN_EMAIL: 'a@b.co' })).toContain('INNKEEPER_ADMIN_PASSWORD')
  expect(getMistakes({ INNKEEPER_CONFIG, INNKEEPER_TLS_CERT: '/a.pem' })).toContain('INNKEEPER_TLS_KEY')
})

test('a configured file must exist and contain JSON', () => {
  expect(getMistakes({ INNKEEPER_CONFIG: '/nowhere/config.json' })).toContain('/nowhere/config.json')
  expect(getMistakes({ INNKEEPER_CONFIG: fileWith('{"port":') })).toContain('config.json')
  expect(getMistakes({ INNKEEPER_CONFIG: fileWith('[]') })).toContain('one JSON object')
})
