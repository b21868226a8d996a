import json,sys,re
base='/root/trees/backups/packages/web/src/locales/'
def add(ns,key,after,en,tr):
    """adds en text and translations {lang: text}"""
    import glob,os
    p=f'{base}en_US/{ns}.json'
    raw=open(p).read(); d=json.loads(raw)
    d=ins(d,key,after,en); open(p,'w').write(json.dumps(d,ensure_ascii=False,indent=2)+'\n')
    for f in sorted(glob.glob(base+'translations/*.json')):
        lang=os.path.basename(f)[:-5]
        d=json.load(open(f))
        d[ns]=ins(d[ns],key,after,tr[lang])
        open(f,'w').write(json.dumps(d,ensure_ascii=False,indent=2)+'\n')
def ins(d,key,after,val):
    d={k:v for k,v in d.items() if k!=key}
    out={}
    for k,v in d.items():
        out[k]=v
        if k==after: out[key]=val
    if key not in out: out[key]=val
    return out
