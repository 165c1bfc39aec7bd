import { describe, expect, it } from 'vitest';

import { ChangedDocuments, movedPlace, type OpenDocument } from '../../src/model/documents';

class Note implements OpenDocument {
  dirty = false;
  collaborative = false;
  closed = false;
  loaded: string | undefined = 'old';
  disk: string | null = 'new';
  reloads = 0;
  /** What happens while the disk is asked. */
  meanwhile: () => void | Promise<void> = () => undefined;
  typesWhileReloading = false;

  async current(): Promise<string | null> {
    const found = this.disk;
    await this.meanwhile();
    return found;
  }

  async reload(): Promise<boolean> {
    this.reloads++;
    this.loaded = this.disk ?? undefined;
    this.dirty = this.typesWhileReloading;
    return !this.typesWhileReloading;
  }
}

function looking(): { documents: ChangedDocuments<Note>; said: string[] } {
  const said: string[] = [];
  const documents = new ChangedDocuments<Note>({
    warn: note => said.push(`warn of ${note.disk}`),
    settle: () => said.push('settle')
  });
  return { documents, said };
}

describe('a note that changed on disk', () => {
  it('is read anew where its document has no unsaved text', async () => {
    const { documents, said } = looking();
    const note = new Note();
    await documents.told([note]);
    expect(note.reloads).toBe(1);
    expect(said).toEqual([]);
  });

  it('is warned of once where its document has unsaved text', async () => {
    const { documents, said } = looking();
    const note = new Note();
    note.dirty = true;
    await documents.told([note]);
    await documents.told([note]);
    expect(note.reloads).toBe(0);
    expect(said).toEqual(['warn of new']);
  });

  it('is warned of again when it changes again', async () => {
    const { documents, said } = looking();
    const note = new Note();
    note.dirty = true;
    await documents.told([note]);
    note.disk = 'newer';
    await documents.told([note]);
    expect(said).toEqual(['warn of new', 'warn of newer']);
  });

  it('is left alone where the document holds it already', async () => {
    const { documents, said } = looking();
    const note = new Note();
    note.disk = 'old';
    await documents.told([note]);
    expect(note.reloads).toBe(0);
    expect(said).toEqual([]);
  });

  it('is left to the room where the document is collaborative', async () => {
    const { documents, said } = looking();
    const note = new Note();
    note.collaborative = true;
    await documents.told([note]);
    expect(note.reloads).toBe(0);
    expect(said).toEqual([]);
  });

  it('is not read where there is no file any more', async () => {
    const { documents, said } = looking();
    const note = new Note();
    note.disk = null;
    await documents.told([note]);
    expect(note.reloads).toBe(0);
    expect(said).toEqual([]);
  });

  it('is not read anew when somebody begins to type while the disk is asked', async () => {
    const { documents, said } = looking();
    const note = new Note();
    note.meanwhile = () => void (note.dirty = true);
    await documents.told([note]);
    expect(note.reloads).toBe(0);
    expect(said).toEqual(['warn of new']);
  });

  it('is warned of when what was typed during the reading cannot be merged', async () => {
    const { documents, said } = looking();
    const note = new Note();
    note.typesWhileReloading = true;
    await documents.told([note]);
    expect(note.reloads).toBe(1);
    expect(said).toEqual(['warn of new']);
  });

  it('is not touched when the document is closed while the disk is asked', async () => {
    const { documents, said } = looking();
    const note = new Note();
    note.meanwhile = () => void (note.closed = true);
    await documents.told([note]);
    expect(note.reloads).toBe(0);
    expect(said).toEqual([]);
  });

  it('is looked at once more when news come during a look', async () => {
    const { documents } = looking();
    const note = new Note();
    let looks = 0;
    note.disk = 'old';
    note.meanwhile = async () => {
      looks++;
      if (looks === 1) {
        note.disk = 'new';
        await documents.told([note]);
      }
    };
    await documents.told([note]);
    expect(looks).toBe(2);
    expect(note.reloads).toBe(1);
  });

  it('loses its warning when it is saved', async () => {
    const { documents, said } = looking();
    const note = new Note();
    note.dirty = true;
    await documents.told([note]);
    documents.settled(note);
    documents.settled(note);
    expect(said).toEqual(['warn of new', 'settle']);
  });

  it('loses its warning when the change on disk is taken back', async () => {
    const { documents, said } = looking();
    const note = new Note();
    note.dirty = true;
    await documents.told([note]);
    note.disk = 'old';
    await documents.told([note]);
    expect(said).toEqual(['warn of new', 'settle']);
  });
});

describe('a place in a text', () => {
  it('stays before a change and moves with the text behind it', () => {
    const moved = movedPlace('one two three', 'one 2 three');
    expect(moved(2)).toBe(2);
    expect('one 2 three'.slice(moved('one two three'.indexOf('three')))).toBe('three');
  });

  it('inside what was replaced is within the new text', () => {
    const moved = movedPlace('one twotwo three', 'one 2 three');
    expect(moved(9)).toBeLessThanOrEqual('one 2'.length);
    expect(movedPlace('abc', '')(3)).toBe(0);
  });
});
