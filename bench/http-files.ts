import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { urlOf } from '@innkeeper/contract/endpoint'
import { deleteFile, getFile, putFile } from '@innkeeper/contract/files'
import type { Contest } from './compare.ts'
import { makeFiles, makeNoise } from './data.ts'
import type { Product } from './product.ts'
import { run } from './programs.ts'

const quiet = ['-s', '-S', '-f', '-o', '/dev/null'] as const

/** Files over HTTP with curl: straight from the node, through the panel, and from nginx. */
export async function httpContests(
  product: Product,
  nginx: { readonly port: number; readonly files: string },
  dir: string,
): Promise<Contest[]> {
  const big = join(dir, 'big.bin')
  await makeNoise(big, 512)
  await Promise.all([run('cp', [big, product.folder]), run('cp', [big, nginx.files])])
  const many = 'listed'
  await Promise.all([makeFiles(join(product.folder, many), 10_000, 10), makeFiles(join(nginx.files, many), 10_000, 10)])
  await mkdir(join(nginx.files, 'put'), { recursive: true })

  const { pid } = product
  const at = (path: string) => ({ params: { id: product.server, path } })
  const straight = async (method: 'GET' | 'PUT', path: string, ...more: string[]) => {
    const url = urlOf(method === 'GET' ? getFile : putFile, at(path))
    const bearer = `Authorization: Bearer ${await product.ticket(method, url)}`
    await run('curl', [...quiet, '--unix-socket', product.nodeSocket, '-H', bearer, ...more, `http://node${url}`])
  }
  const throughPanel = (path: string, ...more: string[]) => {
    const bearer = `Authorization: Bearer ${product.token}`
    return run('curl', [...quiet, '-H', bearer, ...more, `${product.url}/proxy${urlOf(getFile, at(path))}`])
  }
  const fromNginx = (path: string, ...more: string[]) =>
    run('curl', [...quiet, ...more, `http://127.0.0.1:${nginx.port}/${path}`])
  const uploadForm = () => straight('PUT', 'uploaded.bin', '-X', 'PUT', '-F', `file=@${big}`, '-H', 'Expect:')
  const putToNginx = () => fromNginx('put/uploaded.bin', '-T', big, '-H', 'Expect:')
  const removeUpload = async () => {
    await product.ask(deleteFile, at('uploaded.bin')).catch(() => {})
    await rm(join(nginx.files, 'put', 'uploaded.bin'), { force: true })
  }

  return [
    {
      name: 'http: download 512 MiB straight from the node',
      goal: { speed: 0.8 },
      against: 'nginx',
      ours: () => straight('GET', 'big.bin'),
      reference: () => fromNginx('big.bin'),
      pid,
    },
    {
      // Where its configuration does not ask for `sendfile`, nginx copies as we do; Node.js has no call for the other way.
      name: 'http: download 512 MiB, both copying',
      goal: { speed: 0.8 },
      against: 'nginx',
      ours: () => straight('GET', 'big.bin'),
      reference: () => fromNginx('copied/big.bin'),
      pid,
    },
    {
      name: 'http: download 512 MiB through the panel',
      goal: { speed: 0.45 },
      against: 'straight',
      ours: () => throughPanel('big.bin'),
      reference: () => straight('GET', 'big.bin'),
      pid,
    },
    {
      name: 'http: upload 512 MiB as a form, to the node',
      goal: { speed: 1 },
      against: 'nginx PUT',
      ours: uploadForm,
      reference: putToNginx,
      after: removeUpload,
      pid,
    },
    {
      // We answer when a file is on the disk, nginx leaves that to the system (docs/decisions/0021).
      name: 'http: upload 512 MiB as a form, to the disk',
      goal: { speed: 1 },
      against: 'nginx + sync',
      ours: uploadForm,
      reference: async () => {
        await putToNginx()
        await run('sync', [join(nginx.files, 'put', 'uploaded.bin')])
      },
      after: removeUpload,
      pid,
    },
    {
      name: 'http: upload 512 MiB through the panel',
      goal: { speed: 0.45 },
      against: 'nginx PUT',
      ours: () => throughPanel('uploaded.bin', '-T', big, '-H', 'Expect:'),
      reference: putToNginx,
      after: removeUpload,
      pid,
    },
    {
      name: 'http: list a folder of 10,000 files',
      goal: { speed: 0.5 },
      against: 'nginx',
      ours: () => throughPanel(many),
      reference: () => fromNginx(`${many}/`),
      pid,
    },
  ]
}
