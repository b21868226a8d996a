import { putUserSetting } from '@innkeeper/contract/settings/panel'
import { Button } from '@mantine/core'
import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openPart } from '../../testing/open-part.tsx'
import { useLanguage } from './use-language.ts'

function LanguageButton() {
  const { locale, setLanguage } = useLanguage()
  return <Button onClick={() => void setLanguage('en_US')}>Select (now {locale})</Button>
}

test('setting the language stores it in the panel and in this browser', async () => {
  const { user, panel } = await openPart(<LanguageButton />)

  await user.click(await screen.findByRole('button', { name: 'Select (now en_US)' }))

  await waitFor(() => expect(panel.requests(putUserSetting)).toHaveLength(1))
  const [request] = panel.requests(putUserSetting)
  expect([request?.path, request?.body]).toEqual(['/api/userSettings/language', { value: 'en_US' }])
  expect(localStorage.getItem('innkeeper.locale')).toBe('en_US')
})
