import { Refusal } from '@innkeeper/contract/errors/refusals'
import {
  cancelFileJob,
  createDownload,
  type FileEntry,
  type FileJob,
  FileJobRequest,
  getDiskUsage,
  getFile,
  getFileJobs,
  moveFile,
  putFile,
  startFileJob,
} from '@innkeeper/contract/servers/files'
import { getTrash } from '@innkeeper/contract/servers/trash'
import { screen, within } from '@testing-library/react'
import { useState } from 'react'
import { vi } from 'vitest'
import { FakePanel, type RecordedRequest } from '../../../testing/fake-panel.ts'
import { openPart } from '../../../testing/open-part.tsx'
import { FileBrowser } from '../file-browser.tsx'

export const file = (name: string, size = 10): FileEntry => ({ name, isFile: true, size, modifyTime: 1_700_000_000 })
export const folder = (name: string): FileEntry => ({ name, isFile: false, modifyTime: 1_700_000_000 })

/** A fake of a server's files: folders by path. The test decides when a job ends. */
export function fakeDisk(folders: Record<string, FileEntry[]>) {
  const panel = new FakePanel()
  let jobs: FileJob[] = []
  const getPath = ({ path }: RecordedRequest) => decodeURIComponent(path.split('/file/')[1] ?? '')
  panel.respond(getFile, (asked) => folders[getPath(asked)] ?? new Refusal('ErrFileNotFound'))
  panel.respond(putFile, undefined)
  panel.respond(moveFile, undefined)
  panel.respond(cancelFileJob, undefined)
  panel.respond(createDownload, { url: '/api/downloads/one-time' })
  panel.respond(getFileJobs, () => jobs)
  panel.respond(getTrash, { entries: [], bytes: 0, maxBytes: 10 * 1024 ** 3, days: 7 })
  panel.respond(getDiskUsage, {
    bytes: 5 * 1024 ** 3,
    files: 10,
    folders: 2,
    freeBytes: 30 * 1024 ** 3,
    measuredAt: '2026-11-20T20:00:00Z',
  })
  panel.respond(startFileJob, ({ body }) => {
    const jobRequest = FileJobRequest.parse(body)
    const paths = 'paths' in jobRequest ? jobRequest.paths : [jobRequest.path]
    const job: FileJob = {
      id: `job-${jobs.length}`,
      kind: jobRequest.kind,
      path: paths[0] ?? '',
      paths: paths.length,
      state: 'running',
      entries: 0,
      bytes: 0,
      startedAt: '2026-11-20T20:00:00Z',
      ...('destination' in jobRequest ? { destination: jobRequest.destination } : {}),
    }
    jobs = [job, ...jobs]
    return job
  })
  return {
    panel,
    /** The file responds to a request for its first byte. */
    answerFirstByte: (path: string) => {
      const usual = panel.fetch
      vi.spyOn(panel, 'fetch').mockImplementation(async (url, init) =>
        String(url).endsWith(`/file/${path}`) ? new Response('[', { status: 206 }) : usual(url, init),
      )
    },
    startedJobs: () => panel.requests(startFileJob).map(({ body }) => body),
    /** Changes all jobs. */
    updateJobs: (change: Partial<FileJob>) => {
      jobs = jobs.map((job) => ({ ...job, ...change }))
    },
    addJob: (job: FileJob) => {
      jobs = [job, ...jobs]
    },
  }
}

interface Opening {
  readonly canWrite?: boolean
  readonly path?: string
}

export const plugins = {
  '': [folder('plugins'), folder('world'), file('server.properties')],
  plugins: [
    folder('..'),
    folder('data'),
    file('config.yml', 1024),
    file('claims.yml', 2048),
    file('pack.zip', 1024 ** 2),
    file('icon.png'),
    file('huge.log', 20_971_521),
  ],
  'plugins/data': [folder('..')],
  world: [folder('..'), file('config.yml')],
}

export async function open(
  disk: ReturnType<typeof fakeDisk>,
  { canWrite = true, path: first = 'plugins' }: Opening = {},
) {
  const edited: string[] = []
  const viewed: unknown[] = []
  const picked: string[] = []
  function Part() {
    const [path, setPath] = useState(first)
    return (
      <FileBrowser
        server={{ id: 'deadbeef', name: 'Oak Valley' }}
        canWrite={canWrite}
        path={path}
        onPath={setPath}
        getHref={(to) => `/server/deadbeef?tab=files&path=${to}`}
        onEdit={(edit) => edited.push(edit)}
        onPreview={(image, images) => viewed.push([image, images])}
        upload={{ pickFiles: () => picked.push('files'), pickFolder: () => picked.push('folder') }}
      />
    )
  }
  const opened = await openPart(<Part />, { panel: disk.panel })
  return { ...opened, edited, viewed, picked }
}

export const row = async (name: string) => {
  const box = await screen.findByRole('checkbox', { name: `Select ${name}` })
  return box.closest('tr') as HTMLElement
}
export const names = () =>
  screen.getAllByRole('checkbox', { name: /^Select (?!all)/ }).map((box) => box.getAttribute('aria-label')?.slice(7))
export const button = (name: string | RegExp) => screen.findByRole('button', { name })
export const inDialog = async (title: string) => within(await screen.findByRole('dialog', { name: title }))
export const crumb = () => screen.getByRole('navigation', { name: 'Path' }).querySelector('[aria-current]')?.textContent
