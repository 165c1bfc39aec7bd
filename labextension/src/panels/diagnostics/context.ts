// What the parts of the diagnostics tab share.
import type { CommandRegistry } from '@lumino/commands';

import type { DiagnosticsModel } from '../../model/diagnostics';
import type { Progress } from '../../model/progress';
import type { IKnowledgeBase, INavigator } from '../../tokens';

export interface DiagnosticsContext {
  kb: IKnowledgeBase;
  model: DiagnosticsModel;
  progress: Progress;
  navigator: INavigator;
  commands: CommandRegistry;
}
