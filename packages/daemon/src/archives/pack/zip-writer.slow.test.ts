import { expect } from 'vitest'
import { parsePath } from '../../files/path/safe-path.ts'
import { Progress } from '../../files/tree/progress.ts'
import { deps, test } from '../../testing/archive-fixture.ts'
import type { ArchivePiece } from './archive-pieces.ts'
import { packZip } from './zip-writer.ts'

test('a zip with more entries than fit in 16 bits is readable by other tools', {
  timeout: 300_000,
}, async ({ fixture }) => {
  deps('python3')
  const info = (await fixture.files.lstat(parsePath('/'))) ?? expect.fail()
  const pieces = (async function* (): AsyncGenerator<ArchivePiece> {
    const open = () => Promise.reject(new Error('it is a folder'))
    for (let at = 0; at < 70_000; at++) yield { type: 'folder', item: { name: `${at}/`, info, open } }
  })()
  const bytes: Uint8Array[] = []

  for await (const chunk of packZip(pieces, new Progress())) bytes.push(chunk)

  fixture.put('many.zip', Buffer.concat(bytes))
  const count = 'import zipfile,sys; z=zipfile.ZipFile(sys.argv[1]); print(len(z.namelist()), z.namelist()[-1])'
  expect(fixture.run('python3', '-c', count, 'many.zip').trim()).toBe('70000 69999/')
})
