import { act, render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { createI18n, I18nProvider, useLocale } from './i18n.tsx'
import { useFormatters } from './use-formatters.ts'

function Size() {
  const { fileSize } = useFormatters()
  const { setLocale } = useLocale()
  return (
    <button type="button" onClick={() => void setLocale('fr_FR')}>
      {fileSize(3 * 1024 ** 2)}
    </button>
  )
}

test('sizes follow a change of the language', async () => {
  const i18n = await createI18n('en_US')
  render(
    <I18nProvider i18n={i18n}>
      <Size />
    </I18nProvider>,
  )
  expect(screen.getByRole('button').textContent).toBe('3 MiB')

  await act(async () => screen.getByRole('button').click())

  expect(await screen.findByRole('button', { name: '3 Mio' })).toBeDefined()
})

test('sizes are formatted with the catalog of their provider', async () => {
  const units = { 'units.Value': '{value} {unit}', 'units.MiB': 'MiB' }
  const english = await createI18n('en_US', { load: async () => units })
  const other = await createI18n('en_US', { load: async () => ({ ...units, 'units.MiB': 'mebibytes' }) })
  for (const i18n of [english, other]) {
    render(
      <I18nProvider i18n={i18n}>
        <Size />
      </I18nProvider>,
    )
  }

  expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['3 MiB', '3 mebibytes'])
})
