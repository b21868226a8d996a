import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { getUrl } from '@innkeeper/contract/api/endpoint'
import { deleteFile, getFile, putFile } from '@innkeeper/contract/servers/files'
import type { Comparison } from './compare.ts'
import { run } from './programs.ts'
import { writeIncompressibleFile, writeSmallFiles } from './test-files.ts'
import type { TestInstallation } from './test-installation.ts'

const quiet = ['-s', '-S', '-f', '-o', '/dev/null'] as const

/** Files over HTTP with curl: directly from the node, through the panel, and from nginx. */
export async function httpComparisons(
  installation: TestInstallation,
  nginx: { readonly port: number; readonly files: string },
  dir: string,
): Promise<Comparison[]> {
  const big = join(dir, 'big.bin')
  await writeIncompressibleFile(big, 512)
  await Promise.all([run('cp', [big, installation.folder]), run('cp', [big, nginx.files])])
  const many = 'listed'
  await Promise.all([
    writeSmallFiles(join(installation.folder, many), 10_000, 10),
    writeSmallFiles(join(nginx.files, many), 10_000, 10),
  ])
  await mkdir(join(nginx.files, 'put'), { recursive: true })

  const { pid } = installation
  const at = (path: string) => ({ params: { id: installation.server, path } })
  const direct = async (method: 'GET' | 'PUT', path: string, ...more: string[]) => {
    const url = getUrl(method === 'GET' ? getFile : putFile, at(path))
    const bearer = `Authorization: Bearer ${await installation.ticket(method, url)}`
    await run('curl', [...quiet, '--unix-socket', installation.nodeSocket, '-H', bearer, ...more, `http://node${url}`])
  }
  const throughPanel = (path: string, ...more: string[]) => {
    const bearer = `Authorization: Bearer ${installation.token}`
    return run('curl', [...quiet, '-H', bearer, ...more, `${installation.url}/proxy${getUrl(getFile, at(path))}`])
  }
  const fromNginx = (path: string, ...more: string[]) =>
    run('curl', [...quiet, ...more, `http://127.0.0.1:${nginx.port}/${path}`])
  const uploadForm = () => direct('PUT', 'uploaded.bin', '-X', 'PUT', '-F', `file=@${big}`, '-H', 'Expect:')
  const putToNginx = () => fromNginx('put/uploaded.bin', '-T', big, '-H', 'Expect:')
  const removeUpload = async () => {
    await installation.send(deleteFile, at('uploaded.bin')).catch(() => {})
    await rm(join(nginx.files, 'put', 'uploaded.bin'), { force: true })
  }

  return [
    {
      name: 'http: download 512 MiB directly from the node',
      goal: { speed: 0.8 },
      referenceName: 'nginx',
      ours: () => direct('GET', 'big.bin'),
      reference: () => fromNginx('big.bin'),
      pid,
    },
    {
      // Without `sendfile` nginx copies like we do; Node.js has no API for sendfile.
      name: 'http: download 512 MiB, both copying',
      goal: { speed: 0.8 },
      referenceName: 'nginx',
      ours: () => direct('GET', 'big.bin'),
      reference: () => fromNginx('copied/big.bin'),
      pid,
    },
    {
      name: 'http: download 512 MiB through the panel',
      goal: { speed: 0.45 },
      referenceName: 'direct',
      ours: () => throughPanel('big.bin'),
      reference: () => direct('GET', 'big.bin'),
      pid,
    },
    {
      name: 'http: upload 512 MiB as a form, to the node',
      goal: { speed: 1 },
      referenceName: 'nginx PUT',
      ours: uploadForm,
      reference: putToNginx,
      cleanUp: removeUpload,
      pid,
    },
    {
      // We respond after the file was flushed to disk, nginx does not flush (docs/decisions/0021).
      name: 'http: upload 512 MiB as a form, to the disk',
      goal: { speed: 1 },
      referenceName: 'nginx + sync',
      ours: uploadForm,
      reference: async () => {
        await putToNginx()
        await run('sync', [join(nginx.files, 'put', 'uploaded.bin')])
      },
      cleanUp: removeUpload,
      pid,
    },
    {
      name: 'http: upload 512 MiB through the panel',
      goal: { speed: 0.45 },
      referenceName: 'nginx PUT',
      ours: () => throughPanel('uploaded.bin', '-T', big, '-H', 'Expect:'),
      reference: putToNginx,
      cleanUp: removeUpload,
      pid,
    },
    {
      name: 'http: list a folder of 10,000 files',
      goal: { speed: 0.5 },
      referenceName: 'nginx',
      ours: () => throughPanel(many),
      reference: () => fromNginx(`${many}/`),
      pid,
    },
  ]
}
