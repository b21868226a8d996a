import { Button } from '@mantine/core'
import { Link } from 'react-router'
import { useText } from '../../i18n/text.tsx'
import { FrontDoor } from '../../ui/front-door.tsx'

export function NotFoundScreen() {
  const text = useText()
  return (
    <FrontDoor title={text('not-found.Title')} subtitle={text('not-found.Subtitle')}>
      <Button component={Link} to="/server" h={40}>
        {text('not-found.GoToServers')}
      </Button>
    </FrontDoor>
  )
}
