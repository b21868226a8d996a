import type { StepFields } from '@innkeeper/contract/definitions/operations'
import { transfer } from '../../downloads/transfer.ts'
import { rootPath } from '../../files/path/safe-path.ts'
import type { PreparedStep } from '../context/step-context.ts'

/** Downloads files into the server's directory, under the names that their hosts suggest. */
export function downloadFiles({ files: addresses }: StepFields<'download'>): PreparedStep {
  const urls = addresses.map(readAddress)

  return async ({ files, fetch, signal, say }) => {
    for (const url of urls) await transfer({ url, files, folder: rootPath, fetch, signal, say })
  }
}

function readAddress(text: string): URL {
  const url = URL.parse(text)
  if (url && ['http:', 'https:'].includes(url.protocol)) return url
  throw new Error(`${text.replace(/\/\/[^/]*@/, '//')} is not an http or https URL`)
}
