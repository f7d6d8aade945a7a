"""AoT-PsyPhyBENCH: is a clip played forward or backward?"""
