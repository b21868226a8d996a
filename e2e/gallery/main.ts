import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { chromium } from '@playwright/test'
import { installMissingPackages } from '../../tools/debian-packages.ts'
import { firstAdmin } from '../testing/api.ts'
import { chromiumOptions } from '../testing/chromium.ts'
import { Mailbox } from '../testing/mailbox.ts'
import { TestInstallation } from '../testing/test-installation.ts'
import { type GalleryOptions, parseOptions } from './options.ts'
import { createSampleData, type SampleData } from './sample-data.ts'
import { type Screen, screens } from './screens.ts'
import { takeScreenshots } from './screenshots.ts'

/**
 * `npm run gallery`: takes pictures of every screen, state and dialog in every theme, color scheme and width, and fails with
 * a list of what leaves its card or the window. CONTRIBUTING.md has the options.
 */
const pagesAtOnce = 3
const options = parseOptions(process.argv.slice(2))
const selected = selectScreens(options)
const startedAt = performance.now()

await installMissingPackages()

const mailbox = await Mailbox.start()
const installation = await TestInstallation.start()
try {
  const data = await createSampleData(installation, mailbox)
  if (options.isServing) await serve(installation)
  else await takeAll(installation, data)
} finally {
  await installation.remove()
  await mailbox.close()
}

function selectScreens({ only }: GalleryOptions): readonly Screen[] {
  const unknown = only.filter((name) => !screens.some((screen) => screen.name === name))
  const names = screens.map(({ name }) => name).join(', ')
  if (unknown.length > 0) throw new Error(`Unknown screens: ${unknown.join(', ')}. There are: ${names}`)
  return only.length === 0 ? screens : screens.filter(({ name }) => only.includes(name))
}

async function serve({ url }: TestInstallation): Promise<void> {
  console.log(`${url}\nEmail: ${firstAdmin.email}\nPassword: ${firstAdmin.password}\nPress Ctrl-C to stop.`)
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
}

async function takeAll({ url }: TestInstallation, data: SampleData): Promise<void> {
  const out = resolve(options.out)
  const config = (await data.sessions.admin.get('/api/config')) as { themes: { available: readonly string[] } }
  const themes = options.themes.length > 0 ? options.themes : config.themes.available
  const empty = selected.some(({ isSetup }) => isSetup) ? await TestInstallation.start() : undefined
  const browser = await chromium.launch(chromiumOptions)
  let count = 0
  const report = (findings: readonly string[]) => {
    count += findings.length
    for (const finding of findings) console.log(finding)
  }
  try {
    for (const theme of themes) {
      await data.sessions.admin.put('/api/settings/panel.settings.defaultTheme', { value: theme })
      // Pictures of an earlier run would look like those of this one.
      if (options.only.length === 0) await rm(resolve(out, theme), { recursive: true, force: true })
      const getUrl = ({ isSetup }: Screen) => (isSetup && empty ? empty.url : url)
      const startWidth = options.hasTouch ? options.widths[0] : undefined
      const queue = [...selected]
      const work = async () => {
        for (let screen = queue.shift(); screen; screen = queue.shift())
          report(
            await takeScreenshots({ browser, data, options: { ...options, out }, theme, getUrl, startWidth }, screen),
          )
      }
      await Promise.all(Array.from({ length: pagesAtOnce }, work))
    }
  } finally {
    await browser.close()
    await empty?.remove()
  }
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  console.log(`${selected.length} screens in ${out}, ${count} findings, ${seconds} s`)
  if (count > 0) process.exitCode = 1
}
