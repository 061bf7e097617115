import { useCanGoBack, useNavigate, useRouter } from '@tanstack/react-router';
import { useCommand } from '../keys/use-keys.ts';

/** The keys that go from page to page. */
export function useGoTo(): void {
  const navigate = useNavigate();
  const router = useRouter();
  const canGoBack = useCanGoBack();
  useCommand('go-inbox', () => void navigate({ to: '/' }));
  useCommand('go-incidents', () => void navigate({ to: '/incidents' }));
  useCommand('go-approvals', () => void navigate({ to: '/approvals' }));
  useCommand('go-actions', () => void navigate({ to: '/actions' }));
  useCommand('go-health', () => void navigate({ to: '/health' }));
  useCommand('back', () => (canGoBack ? router.history.back() : void navigate({ to: '/' })));
  useCommand('search', () => {
    const field = document.querySelector<HTMLInputElement>('input[type="search"]');
    if (field !== null) field.focus();
    else void navigate({ to: '/incidents', search: { focus: 'search' } });
  });
}
