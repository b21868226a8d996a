import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { readExistingServer, withJarOfTemplate } from './existing-server.ts'
import { getSelectedItems } from './items.ts'

const files = {
  'My world/server.properties': 'server-port=25590\n',
  'My world/eula.txt': 'eula=true\n',
  'My world/config/paper-global.yml': '',
  'My world/paper-1.21.4.jar': 'a jar',
}

/** Files as a browser returns them for a selected folder. */
const pickedFolder = (content: Readonly<Record<string, string>>) =>
  getSelectedItems(
    Object.entries(content).map(([path, text]) =>
      Object.defineProperty(new File([text], path.split('/').at(-1) ?? ''), 'webkitRelativePath', { value: path }),
    ),
  )

function getZip(content: Readonly<Record<string, string>>): File {
  const folder = mkdtempSync(join(tmpdir(), 'innkeeper-zip-'))
  try {
    for (const [path, text] of Object.entries(content)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    execFileSync('zip', ['-qr', 'a.zip', '.'], { cwd: folder })
    return new File([readFileSync(join(folder, 'a.zip'))], 'My world.zip')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('a folder is recognized, and its content goes to the folder of the server', async () => {
  const found = await readExistingServer(pickedFolder(files))

  expect(found).toMatchObject({
    name: 'My world',
    recognized: { template: 'minecraft-paper', jar: 'paper-1.21.4.jar', folder: 'My world' },
    settings: { settings: 'server-port=25590\n', eula: 'eula=true\n' },
  })
  expect(found.items.map(({ path }) => path)).toEqual([
    'server.properties',
    'eula.txt',
    'config/paper-global.yml',
    'paper-1.21.4.jar',
  ])
})

test('a zip is recognized by its list, and is extracted after the upload', async () => {
  const found = await readExistingServer(getSelectedItems([getZip(files)]))

  expect(found).toMatchObject({
    name: 'My world.zip',
    recognized: { template: 'minecraft-paper', jar: 'paper-1.21.4.jar', folder: 'My world' },
    settings: { settings: 'server-port=25590\n', eula: 'eula=true\n' },
  })
  const [zip] = found.items
  const names = zip?.type === 'file' ? zip.unpacking?.names : undefined
  expect(zip).toMatchObject({ path: 'My world.zip', unpacking: { folder: 'My world' } })
  expect(names?.toSorted()).toEqual(['config', 'eula.txt', 'paper-1.21.4.jar', 'server.properties'])
})

test('other files have no known server, and nothing of them is uploaded', async () => {
  const folder = await readExistingServer(pickedFolder({ 'notes/readme.txt': 'x' }))
  const zip = await readExistingServer(getSelectedItems([getZip({ 'readme.txt': 'x' })]))

  expect([folder.recognized, folder.items, zip.recognized, zip.items]).toEqual([undefined, [], undefined, []])
  await expect(readExistingServer(getSelectedItems([new File(['no zip'], 'broken.zip')]))).rejects.toThrow()
})

test('for a command that cannot change, the jar gets the name in it', async () => {
  const folder = withJarOfTemplate(await readExistingServer(pickedFolder(files)))
  const zip = withJarOfTemplate(await readExistingServer(getSelectedItems([getZip(files)])))

  expect(folder.map(({ path }) => path)).toContain('server.jar')
  expect(zip[0]).toMatchObject({ unpacking: { rename: { from: 'paper-1.21.4.jar', to: 'server.jar' } } })
})
