// The small controls of every panel, so that a button, a switch, a chip look and behave the same everywhere.
import type { LabIcon } from '@jupyterlab/ui-components';
import { caretDownIcon, caretRightIcon, closeIcon } from '@jupyterlab/ui-components';
import type { KeyboardEvent, MouseEvent, ReactNode } from 'react';
import { useRef } from 'react';

type Click = (event: MouseEvent<HTMLElement>) => void;

export interface IconButtonProps {
  icon: LabIcon;
  /** Its name, and its tooltip. */
  label: string;
  onClick: Click;
  pressed?: boolean;
  disabled?: boolean;
  /** It opens a menu. */
  menu?: boolean;
}

/** 24 × 24, an icon and nothing else. */
export function IconButton({ icon, label, onClick, pressed, disabled, menu }: IconButtonProps): JSX.Element {
  return (
    <button
      type="button"
      className="jp-kb-icon-button"
      title={label}
      aria-label={label}
      aria-pressed={pressed}
      aria-haspopup={menu ? 'menu' : undefined}
      disabled={disabled}
      onClick={onClick}
    >
      <icon.react tag="span" className="jp-kb-icon" />
    </button>
  );
}

export interface ButtonProps {
  onClick: Click;
  children: ReactNode;
  kind?: 'plain' | 'primary' | 'quiet' | 'danger';
  icon?: LabIcon;
  disabled?: boolean;
  title?: string;
  menu?: boolean;
}

export function Button({
  onClick,
  children,
  kind = 'plain',
  icon,
  disabled,
  title,
  menu
}: ButtonProps): JSX.Element {
  const Icon = icon?.react;
  return (
    <button
      type="button"
      className={`jp-kb-button jp-kb-mod-${kind}`}
      disabled={disabled}
      title={title}
      aria-haspopup={menu ? 'menu' : undefined}
      onClick={onClick}
    >
      {Icon && <Icon tag="span" className="jp-kb-icon" />}
      {children}
    </button>
  );
}

/** An action in running text. */
export function LinkButton({ onClick, children, title }: Omit<ButtonProps, 'kind' | 'icon'>): JSX.Element {
  return (
    <button type="button" className="jp-kb-link-button" title={title} onClick={onClick}>
      {children}
    </button>
  );
}

export interface Choice<V extends string> {
  value: V;
  label: ReactNode;
  /** Its name where `label` is no text. */
  name?: string;
  title?: string;
}

export interface SegmentedProps<V extends string> {
  label: string;
  choices: readonly Choice<V>[];
  value: V | null;
  onChange: (value: V) => void;
  disabled?: boolean;
}

/** One of a few, side by side: a radio group, with arrow keys. */
export function Segmented<V extends string>(props: SegmentedProps<V>): JSX.Element {
  const { label, choices, value, onChange, disabled } = props;
  const group = useRef<HTMLDivElement>(null);
  const step = (event: KeyboardEvent): void => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!by) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    const at = choices.findIndex(choice => choice.value === value);
    const next = (at < 0 && by < 0 ? choices.length - 1 : at + by + choices.length) % choices.length;
    const chosen = choices[next];
    if (chosen) {
      onChange(chosen.value);
      group.current?.querySelectorAll<HTMLElement>('[role=radio]')[next]?.focus();
    }
  };
  return (
    <div className="jp-kb-segmented" role="radiogroup" aria-label={label} ref={group} onKeyDown={step}>
      {choices.map((choice, index) => (
        <button
          key={choice.value}
          type="button"
          role="radio"
          aria-checked={choice.value === value}
          aria-label={choice.name}
          title={choice.title}
          disabled={disabled}
          tabIndex={choice.value === value || (value === null && index === 0) ? 0 : -1}
          onClick={() => onChange(choice.value)}
        >
          {choice.label}
        </button>
      ))}
    </div>
  );
}

export interface ChipProps {
  children: ReactNode;
  icon?: LabIcon;
  onClick?: Click;
  title?: string;
}

/** A small round label; a button where it can be clicked. */
export function Chip({ children, icon, onClick, title }: ChipProps): JSX.Element {
  const Icon = icon?.react;
  const inner = (
    <>
      {Icon && <Icon tag="span" className="jp-kb-icon jp-kb-mod-small" />}
      <span className="jp-kb-cut">{children}</span>
    </>
  );
  return onClick ? (
    <button type="button" className="jp-kb-chip" title={title} onClick={onClick}>
      {inner}
    </button>
  ) : (
    <span className="jp-kb-chip" title={title}>
      {inner}
    </span>
  );
}

/** A chip that a click, Delete or Backspace takes away. */
export function RemovableChip(props: {
  text: string;
  icon?: LabIcon;
  name: string;
  onRemove: () => void;
}): JSX.Element {
  const Icon = props.icon?.react;
  return (
    <button
      type="button"
      className="jp-kb-chip jp-kb-mod-removable"
      aria-label={props.name}
      title={props.name}
      onClick={props.onRemove}
      onKeyDown={event => {
        if (event.key === 'Delete' || event.key === 'Backspace') {
          event.preventDefault();
          props.onRemove();
        }
      }}
    >
      {Icon && <Icon tag="span" className="jp-kb-icon jp-kb-mod-small" />}
      <span className="jp-kb-cut">{props.text}</span>
      <closeIcon.react tag="span" className="jp-kb-icon jp-kb-mod-small" />
    </button>
  );
}

/** How far something is, 0 to 1; null while that is not known. */
export function ProgressBar({ value, label }: { value: number | null; label: string }): JSX.Element {
  const percent = value === null ? undefined : Math.round(value * 100);
  return (
    <div
      className="jp-kb-progress"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
    >
      <i style={{ width: `${percent ?? 30}%` }} />
    </div>
  );
}

export function Caret({ open }: { open: boolean }): JSX.Element {
  const icon = open ? caretDownIcon : caretRightIcon;
  return <icon.react tag="span" className="jp-kb-icon jp-kb-caret" />;
}

export function Count({ children }: { children: ReactNode }): JSX.Element {
  return <span className="jp-kb-count">{children}</span>;
}

/** What to press, and what it does. */
export function KeyHint({ keys, children }: { keys: readonly string[]; children: ReactNode }): JSX.Element {
  return (
    <span className="jp-kb-hint">
      {keys.map(key => (
        <kbd key={key}>{key}</kbd>
      ))}{' '}
      {children}
    </span>
  );
}

export interface MessageProps {
  icon?: LabIcon;
  tone?: 'plain' | 'warning' | 'error' | 'ok';
  title: string;
  children?: ReactNode;
  /** Technical text behind "Details". */
  details?: string;
  detailsLabel?: string;
}

/** An empty or error state: what is so, what it means, one next step. */
export function Message({
  icon,
  tone = 'plain',
  title,
  children,
  details,
  detailsLabel
}: MessageProps): JSX.Element {
  const Icon = icon?.react;
  return (
    <div className={`jp-kb-message jp-kb-mod-${tone}`}>
      {Icon && <Icon tag="span" className="jp-kb-icon jp-kb-mod-large" />}
      <h3>{title}</h3>
      {children}
      {details && (
        <details>
          <summary>{detailsLabel}</summary>
          <pre>{details}</pre>
        </details>
      )}
    </div>
  );
}
