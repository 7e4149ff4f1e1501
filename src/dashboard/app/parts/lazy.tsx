/** Components whose code is fetched when they are first needed. */
import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { t } from '../texts/text.ts';

/** Shows `waiting` until the code has arrived. A fetch that fails is tried again the next time. */
export const lazy = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  waiting: ComponentChildren = null,
): ComponentType<Props> => {
  let loaded: ComponentType<Props> | undefined;
  return props => {
    const [state, setState] = useState<'waiting' | 'loaded' | 'failed'>(loaded === undefined ? 'waiting' : 'loaded');
    useEffect(() => {
      // Another instance may have fetched the code after this one was drawn.
      if (loaded !== undefined) return setState('loaded');
      let isGone = false;
      load().then(
        component => {
          loaded = component;
          if (!isGone) setState('loaded');
        },
        () => {
          if (!isGone) setState('failed');
        },
      );
      return () => {
        isGone = true;
      };
    }, []);
    if (state === 'failed') return <p class="failed">{t('common.lazyFailed')}</p>;
    if (loaded === undefined) return <>{waiting}</>;
    const Loaded = loaded;
    return <Loaded {...props} />;
  };
};
