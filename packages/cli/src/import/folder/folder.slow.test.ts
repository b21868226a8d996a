import { execFile } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { readCommands } from '../../testing/commands-of.ts'
import { ImportFixture } from '../../testing/import-fixture.ts'

const execute = promisify(execFile)

async function paper(fixture: ImportFixture, folder: string): Promise<void> {
  await fixture.write(
    `${folder}/server.properties`,
    '#x\nserver-port=25590\nmotd=A valley\nonline-mode=false\nmax-players=x\n',
  )
  await fixture.write(`${folder}/eula.txt`, 'eula=true\n')
  await fixture.write(`${folder}/config/paper-global.yml`, '')
  await fixture.write(`${folder}/paper-1.21.4.jar`, 'a jar')
}

test('a folder with a Paper server becomes a server of that template', async () => {
  await using fixture = await ImportFixture.create()
  await paper(fixture, 'My world')
  const before = await fixture.snapshot('My world')

  const report = await fixture.import('folder', fixture.path('My world'))
  const again = await fixture.import('folder', fixture.path('My world'))

  expect([report.counts.servers, again.counts.servers, report.files, again.files]).toEqual([
    { found: 1, added: 1, existing: 0 },
    { found: 1, added: 0, existing: 1 },
    1,
    0,
  ])
  const servers = await fixture.read((db) =>
    db.selectFrom('servers').select(['id', 'name', 'template', 'port']).execute(),
  )
  expect(servers).toEqual([{ id: expect.any(String), name: 'My world', template: 'minecraft-paper', port: 25590 }])
  const [{ id } = { id: '' }] = servers
  const definition = await fixture.definition(id)
  expect(definition).toMatchObject({
    data: {
      port: { value: 25590 },
      motd: { value: 'A valley' },
      onlinemode: { value: false },
      maxplayers: { value: 20 },
      eula: { value: true },
    },
    run: { command: expect.stringContaining('-jar paper-1.21.4.jar nogui') },
  })
  expect(await readFile(fixture.path(`data/servers/${id}/paper-1.21.4.jar`), 'utf8')).toBe('a jar')
  expect(await fixture.snapshot('My world')).toEqual(before)
})

test('the version of Forge is that of its libraries, and the EULA is not accepted for anybody', async () => {
  await using fixture = await ImportFixture.create()
  await fixture.write('forge/eula.txt', 'eula=false\n')
  await fixture.write('forge/libraries/net/minecraftforge/forge/1.20.1-47.2.0/unix_args.txt', '')

  const report = await fixture.import('folder', fixture.path('forge'), '--files', 'none')

  const [{ id } = { id: '' }] = await fixture.read((db) => db.selectFrom('servers').select('id').execute())
  expect((await fixture.definition(id)).data).toMatchObject({
    opForgeVersion: { value: '1.20.1-47.2.0' },
    eula: { value: false },
  })
  expect(report.notes.join('\n')).toContain('EULA')
})

test('a zip becomes a server with its name, and stays', async () => {
  await using fixture = await ImportFixture.create()
  await paper(fixture, 'valley/inner')
  const zip = fixture.path('Valley.zip')
  await execute('zip', ['-qr', zip, 'inner'], { cwd: fixture.path('valley') })

  const preview = await fixture.import('folder', zip, '--dry-run')
  const before = await readdir(fixture.path('data'))
  const report = await fixture.import('folder', zip)
  const again = await fixture.import('folder', zip)

  expect([preview.files, report.files, report.counts.servers, again.counts.servers]).toEqual([
    1,
    1,
    { found: 1, added: 1, existing: 0 },
    { found: 1, added: 0, existing: 1 },
  ])
  const [{ id, name } = { id: '', name: '' }] = await fixture.read((db) =>
    db.selectFrom('servers').select(['id', 'name']).execute(),
  )
  expect(name).toBe('inner')
  expect(await readFile(fixture.path(`data/servers/${id}/paper-1.21.4.jar`), 'utf8')).toBe('a jar')
  expect((await stat(zip)).isFile()).toBe(true)
  const left = async () => (await readdir(fixture.path('data'))).filter((one) => one.startsWith('.'))
  expect([before.filter((one) => one.startsWith('.')), await left()]).toEqual([[], []])
})

test('a damaged zip, and one without a server, are refused, and nothing is left', async () => {
  await using fixture = await ImportFixture.create()
  await fixture.write('broken.zip', 'PK no zip at all')
  await fixture.write('notes/readme.txt', 'x')
  await execute('zip', ['-qr', fixture.path('notes.zip'), 'notes'], { cwd: fixture.folder })

  await expect(fixture.import('folder', fixture.path('broken.zip'))).rejects.toThrow('The archive is damaged')
  await expect(fixture.import('folder', fixture.path('notes.zip'))).rejects.toThrow(/notes\.zip has no known Minecraft/)
  await expect(fixture.import('folder', fixture.path('notes.zip'), '--files', 'link')).rejects.toThrow('needs a folder')
  expect((await readdir(fixture.path('data'))).filter((one) => one.startsWith('.'))).toEqual([])
})

test('a folder without a known server is refused', async () => {
  await using fixture = await ImportFixture.create()
  await fixture.write('empty/readme.txt', 'x')

  await expect(fixture.import('folder', fixture.path('empty'))).rejects.toThrow('no known Minecraft server')
  await expect(fixture.import('folder', fixture.path('missing'))).rejects.toThrow('is not a folder')
})

test('the commands of the documentation run', async () => {
  const commands = (await readCommands('moving-in.md')).filter((command) => command.includes('import folder'))
  await using fixture = await ImportFixture.create()
  await paper(fixture, 'survival')
  await execute('zip', ['-qr', 'survival.zip', 'survival'], { cwd: fixture.folder })

  const reports = []
  for (const command of commands) {
    const [, , ...rest] = command.replaceAll('/srv/minecraft', fixture.folder).trim().split(' ')
    reports.push(await fixture.import('folder', ...rest.slice(1)))
  }

  expect(reports.map(({ counts }) => counts.servers?.found)).toEqual([1, 1])
})
