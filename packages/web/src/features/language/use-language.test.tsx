import { putUserSetting } from '@innkeeper/contract/panel'
import { Button } from '@mantine/core'
import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openPart } from '../../testing/open-part.tsx'
import { useLanguage } from './use-language.ts'

function Chooser() {
  const { locale, choose } = useLanguage()
  return <Button onClick={() => void choose('en_US')}>Choose (now {locale})</Button>
}

test('the panel is told which language somebody chose, for their mails', async () => {
  const { user, panel } = await openPart(<Chooser />)

  await user.click(await screen.findByRole('button', { name: 'Choose (now en_US)' }))

  await waitFor(() => expect(panel.asked(putUserSetting)).toHaveLength(1))
  const [asked] = panel.asked(putUserSetting)
  expect([asked?.path, asked?.body]).toEqual(['/api/userSettings/language', { value: 'en_US' }])
  expect(localStorage.getItem('innkeeper.locale')).toBe('en_US')
})
